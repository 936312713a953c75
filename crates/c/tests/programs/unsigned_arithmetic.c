// 4294967295 1 18446744073709551613 255 65536 1431655765\n
int printf(const char *format, ...);

/* Unsigned numbers wrap around. */
int main(void)
{
    unsigned a = 0, b = 4294967295u;
    unsigned long long c = 0;
    unsigned char d = 0;
    a--;
    b += 2;
    c -= 3;
    d--;
    printf("%u %u %llu %d %u %u\n", a, b, c, d, 65536u * 65537u, -1u / 3);
    return 0;
}
