// -m32: int, unsigned, long long, unsigned, long long, long long, long, unsigned long long, int, unsigned, unsigned\n; -m64: int, unsigned, long, unsigned, long, long, long, unsigned long long, int, unsigned, unsigned\n
int printf(const char *format, ...);

#define NAME(x) _Generic((x), int: "int", unsigned: "unsigned", long: "long", unsigned long: "unsigned long", \
    long long: "long long", unsigned long long: "unsigned long long", default: "other")

int main(void)
{
    printf("%s, %s, %s, %s, ", NAME(1), NAME(1u), NAME(2147483648), NAME(0x80000000));
    printf("%s, %s, %s, %s, ", NAME(4294967296), NAME(0xffffffffff), NAME(1l), NAME(1ull));
    printf("%s, %s, %s\n", NAME('a'), NAME(037777777777), NAME(1 ? 1 : 1u));
    return 0;
}
