// 11 10 16 99 100 1 2 3 1 5 0\n
int printf(const char *format, ...);

static int classify(int n)
{
    int result = 0;
    switch (n) {
    case 1:
        result += 1;
    case 2:
        result += 10;
        break;
    case 'a' ... 'f':
        return 16;
    default:
        result = -1;
    case -3:
        result += 100;
    }
    return result;
}

static int wide(long long n)
{
    switch (n) {
    case 1ll << 40: return 1;
    case -1: return 2;
    }
    return 3;
}

static int small(unsigned char n)
{
    switch (n) {
    case 255: return 1;
    case 0: { int x = 5; return x; }
    }
    return 0;
}

int main(void)
{
    printf("%d %d %d %d %d ", classify(1), classify(2), classify('c'), classify(9), classify(-3));
    printf("%d %d %d ", wide(1ll << 40), wide(-1), wide(0));
    printf("%d %d %d\n", small(-1), small(256), small(7));
    return 0;
}
