// 24 21 11 b 7\n
int printf(const char *format, ...);

static const int table[3] = { 1, 2, 3 };
static volatile int shared = 5;

static int total(const int *numbers, int *const last)
{
    *last += numbers[0];
    return numbers[0] + numbers[1] + *last;
}

int main(void)
{
    const int local = 4;
    int x = 10;
    const int *p = &x;
    volatile const char *text = "ab";
    register int fast = 3;
    shared += shared;
    shared++;
    x = 20;
    printf("%d ", total(table, &x));
    printf("%d %d %c %d\n", *p, shared, text[1], local + fast);
    return 0;
}
