// 6 1 60 -2 3 1 15 10 1 8\n
int printf(const char *format, ...);

static double half(double x) { return x / 2; }

int main(void)
{
    float f = 1.5f;
    double d = 0.1 + 0.2;
    int n = 7;
    double g = n / 2 + n / 2.0;
    printf("%d %d %d ", (int)(f * 4), d > 0.3, (int)g * 10);
    printf("%d %d %d ", (int)-2.9, (int)half(n), f == 1.5);
    d = n;
    d += 0.5;
    n *= 1.5;
    printf("%d %d %d %d\n", (int)(d * 2), n, !0.0, (int)sizeof(f + d));
    return 0;
}
