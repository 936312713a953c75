// 31 15 11 0 18446744073709551615 9223372036854775807 4294967295 1 1 1000\n
int printf(const char *format, ...);

int main(void)
{
    printf("%d %d %d %d ", 0x1F, 017, 0b1011, 0);
    printf("%llu %lld %u ", 18446744073709551615ull, 9223372036854775807ll, 4294967295u);
    printf("%d %d %d\n", 1.5e1 == 15., .25 == 0x1p-2, (int)1e3f);
    return 0;
}
