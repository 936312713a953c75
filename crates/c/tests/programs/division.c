// 3 -3 3 -3 2147483644 9 -3 -1\n
int printf(const char *format, ...);

int main(void)
{
    int a = 7, b = -7;
    unsigned c = -7;
    printf("%d %d %d %d ", a / 2, b / 2, a % -4, b % 4);
    printf("%u %u %lld %lld\n", c / 2, c % 10, -7ll / 2, -7ll % 2);
    return 0;
}
