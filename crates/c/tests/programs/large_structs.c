// 44195 41995 1 z\n
int printf(const char *format, ...);

struct large { int numbers[50]; struct { char text[20]; long long last; } inner; };

static struct large filled(int start)
{
    struct large result = { { 0 } };
    for (int i = 0; i < 50; i++)
        result.numbers[i] = start + i;
    result.inner.text[19] = 'z';
    result.inner.last = -1ll - start;
    return result;
}

static long long sum(struct large one, struct large two)
{
    long long total = one.inner.last + two.inner.last;
    for (int i = 0; i < 50; i++)
        total += one.numbers[i] * two.numbers[i];
    one.numbers[0] = 1000;
    return total;
}

int main(void)
{
    struct large a = filled(1), b[2];
    b[0] = filled(2);
    b[1] = b[0];
    b[1].numbers[49] = 7;
    printf("%lld %lld %d %c\n", sum(a, b[0]), sum(a, b[1]), a.numbers[0], b[1].inner.text[19]);
    return 0;
}
