// 10 2 2 3 1 7 1 1 4\n
int printf(const char *format, ...);

struct pair { int a, b; };

static int calls;

static int once(void)
{
    return ++calls;
}

int main(void)
{
    struct pair p = { 1, 2 }, q = { 3, 4 };
    int x = 5;
    printf("%d %d ", x > 3 ? 10 : 20, x > 9 ? 1 : x > 4 ? 2 : 3);
    printf("%d %d ", (x ? p : q).b, (x == 1 ? p : q).a);
    printf("%d %d ", once() ?: 9, 0 ?: 7);
    printf("%d %d %d\n", calls, (x ? 1 : 2u) - 2 > 0, (int)sizeof(1 ? 'a' : (char)1));
    return 0;
}
