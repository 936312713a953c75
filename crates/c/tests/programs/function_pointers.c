// 7 -1 12 4 3 30 0 1 1\n
int printf(const char *format, ...);

typedef int operation(int, int);

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int times(int a, int b) { return a * b; }

static operation *choose(char which)
{
    return which == '+' ? add : which == '-' ? &subtract : times;
}

static int (*select(int n))(int, int)
{
    static operation *const table[] = { add, subtract, times };
    return table[n];
}

struct methods { int (*first)(int, int); operation *second; };

static int apply(int f(int, int), int a)
{
    return f(a, a) + (*f)(a, 1) + (**f)(1, a);
}

int main(void)
{
    struct methods m = { add, times };
    operation *o = choose('-');
    printf("%d %d %d ", choose('+')(3, 4), o(3, 4), (*choose('*'))(3, 4));
    printf("%d %d %d ", select(1)(9, 5), m.first(1, 2), m.second(5, 6));
    printf("%d %d %d\n", apply(subtract, 10), o == subtract, o != 0 && select(0) == &add);
    return 0;
}
