// 101001 1 0 0 2\n
int printf(const char *format, ...);

int main(void)
{
    int a = 3, b = 5, c = 1;
    printf("%d%d%d%d%d%d ", a < b, a > b, a <= 3, a >= 4, a == b, a != b);
    printf("%d %d %d %d\n", a < b == c, 5 > 3 > 1, !a, !!a + !0);
    return 0;
}
