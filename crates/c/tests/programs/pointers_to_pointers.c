// 10 8 8 1 one two z\n
int printf(const char *format, ...);

static void point(int **where, int *at)
{
    *where = at;
    **where += 1;
}

int main(void)
{
    int a = 1, b = 2;
    int *p = &a, **q = &p, ***r = &q;
    int *table[3] = { &a, &b, 0 };
    const char *words[] = { "zero", "one", "two" };
    const char **w = words + 1;
    ***r = 10;
    point(&p, &b);
    **q += 5;
    printf("%d %d %d %d ", a, b, *table[1], table[2] == 0);
    printf("%s %s %c\n", *w, w[1], *w[-1]);
    return 0;
}
