// 9 9 9 4 -31072 11 8 3 2\n
int printf(const char *format, ...);

static int calls;
static int numbers[3] = { 1, 2, 3 };

static int index(void)
{
    return calls++ % 3;
}

int main(void)
{
    int a = 10, b, c;
    unsigned char d = 250;
    short e = 100;
    a += 5; a -= 1; a *= 3; a /= 4; a %= 7; a <<= 3; a |= 1; a &= ~8; a ^= 2; a >>= 1;
    b = c = a;
    d += 10;
    e *= 1000;
    numbers[index()] += 10;
    numbers[index()] <<= 2;
    printf("%d %d %d %d %d ", a, b, c, d, e);
    printf("%d %d %d %d\n", numbers[0], numbers[1], numbers[2], calls);
    return 0;
}
