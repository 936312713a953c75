// 0 1 1 0 12314\n
int printf(const char *format, ...);

static int calls;

static int count(int value)
{
    calls = calls * 10 + value;
    return value > 1;
}

int main(void)
{
    int a = count(1) && count(2);
    int b = count(2) || count(3);
    int c = count(3) && count(1) || count(4);
    int d = 0 && count(9);
    printf("%d %d %d %d %d\n", a, b, c, d, calls);
    return 0;
}
