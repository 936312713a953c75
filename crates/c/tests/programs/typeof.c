// 6 16 0 12 32 8 6 3 1\n
int printf(const char *format, ...);

static int numbers[4] = { 1, 2, 3, 4 };

int main(void)
{
    int i = 5;
    typeof(i) j = 6;
    __typeof__(numbers) copy = { 9 };
    typeof(int *) p = &i;
    typeof(*p) k = 7;
    typeof(numbers[0] + 1ll) wide = 1ll << 35;
    const typeof(j++) l = 8;
    __auto_type a = &numbers[2];
    __auto_type b = (char)1;
    printf("%d %d %d %d ", j, (int)sizeof copy, copy[1], *p + k);
    printf("%lld %d %d %d %d\n", wide >> 30, l, j, *a, (int)sizeof b);
    return 0;
}
