// 1 0 9 63 610\n
int printf(const char *format, ...);

static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

static int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static void hanoi(int n, int from, int to, int *moves)
{
    int local = n;
    if (n == 0)
        return;
    hanoi(n - 1, from, 6 - from - to, moves);
    *moves += local == n;
    hanoi(n - 1, 6 - from - to, to, moves);
}

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

int main(void)
{
    int moves = 0;
    hanoi(6, 1, 3, &moves);
    printf("%d %d %d %d %d\n", is_even(10), is_odd(10), ackermann(2, 3), moves, fibonacci(15));
    return 0;
}
