// 78 5678 -1 4294967291 4294967291 18446744073709551611 -32768 65535 -1\n
int printf(const char *format, ...);

/* Narrowing keeps the lowest bits, widening keeps the value. */
int main(void)
{
    int i = 0x12345678;
    long long big = -5;
    unsigned u = (unsigned)big;
    signed char low = (signed char)0x1ff;
    printf("%x %x %d ", (unsigned char)i, (unsigned short)i, low);
    printf("%u %lld %llu ", u, (long long)u, (unsigned long long)big);
    printf("%d %d %lld\n", (short)0x8000, (unsigned short)-1, (long long)(int)0xffffffffu);
    return 0;
}
