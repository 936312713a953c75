// 3 1 3\n
int printf(const char *format, ...);

int add(a, b)
    int a;
    char b;
{
    return a + b;
}

int first(text, n) char *text; int n; { return text[n]; }

static int nothing() { return 3; }

int main()
{
    printf("%d %d %d\n", add(1, 258), first("abc", 1) == 'b', nothing());
    return 0;
}
