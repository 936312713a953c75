// 7 3 4 5\n
int printf(const char *format, ...);

static counter = 3;
const limit = 4;

sum(a, b)
{
    return a + b;
}

static inline five()
{
    register i;
    auto n = 0;
    for (i = 0; i < 5; i++)
        n++;
    return n;
}

main()
{
    printf("%d %d %d %d\n", sum(counter, limit), counter, limit, five());
    return 0;
}
