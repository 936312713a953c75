// 2 4 10 8 6\n
int printf(const char *format, ...);

int main(void)
{
    int a = 1, b = 2, i, j;
    int c = (a++, b += a, a + b);
    for (i = 0, j = 10; i < j; i += 2, j--)
        c++;
    printf("%d %d %d %d %d\n", a, b, c, i, (1, 2, j));
    return 0;
}
