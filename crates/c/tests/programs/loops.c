// 18 5 204 21\n
int printf(const char *format, ...);

int main(void)
{
    int a = 0, b = 0, c = 0, n = 10;
    while (n > 0) {
        n--;
        if (n % 2)
            continue;
        if (n == 2)
            break;
        a += n;
    }
    do {
        b++;
        if (b == 3)
            continue;
    } while (b < 5);
    for (int i = 0; i < 4; i++)
        for (int j = i; ; j++) {
            if (j > 5)
                break;
            if (j == 3)
                continue;
            c += i * 10 + j;
        }
    for (;;)
        if (++n > 20)
            break;
    do ; while (0);
    printf("%d %d %d %d\n", a, b, c, n);
    return 0;
}
