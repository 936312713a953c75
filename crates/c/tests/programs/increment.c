// 6 6 7 -2 0 1 9 30 30 31 -128\n
int printf(const char *format, ...);

int main(void)
{
    int a = 5;
    unsigned char b = 255;
    signed char c = 127;
    int d[] = { 10, 20, 30 };
    int *p = d;
    _Bool e = 0;
    int f = a++ + 1, g = ++a, h = a-- - --d[0];
    b++;
    e++;
    e++;
    printf("%d %d %d %d %d %d ", a, f, g, h, b, e);
    printf("%d ", *p++);
    printf("%d ", *++p);
    printf("%d ", (*p)++);
    c = c + 1;
    printf("%d %d\n", d[2], c);
    return 0;
}
