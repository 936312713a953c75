// 110 111 112 6 103\n
int printf(const char *format, ...);

static int next(void)
{
    static int number = 10;
    static int steps[3];
    steps[number % 3]++;
    return number++ + steps[1] * 100;
}

static int *cell(int reset)
{
    static int value = 5;
    if (reset) {
        static int value = 100;
        value++;
        return &value;
    }
    return &value;
}

int main(void)
{
    int a = next(), b = next(), c = next();
    *cell(0) += 1;
    *cell(1) += 1;
    printf("%d %d %d %d %d\n", a, b, c, *cell(0), *cell(1));
    return 0;
}
