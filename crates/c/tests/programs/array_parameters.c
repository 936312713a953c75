// 16 11 2 -5\n
int printf(const char *format, ...);

static int first(int a[static 2], const int b[restrict], int n, int c[n])
{
    a[0] += 10;
    a++;
    return *a + b[1] + c[n - 1];
}

static int call(int f(int), int n)
{
    return f(n);
}

static int negate(int n) { return -n; }

int main(void)
{
    int x[3] = { 1, 2, 3 };
    int y[2][3] = { { 4, 5, 6 }, { 7, 8, 9 } };
    int r = first(x, y[1], 3, y[0]);
    printf("%d %d %d %d\n", r, x[0], x[1], call(negate, 5));
    return 0;
}
