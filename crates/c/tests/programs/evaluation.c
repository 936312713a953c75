// acdeghijklmnoqpo 5 3\n
int printf(const char *format, ...);

static char trace[32];
static int used;

static int note(char c, int value)
{
    trace[used++] = c;
    return value;
}

/* Only orders that the language fixes. */
int main(void)
{
    int a[4] = { 0 };
    int i = 1;
    note('a', 0) ? note('b', 1) : note('c', 2);
    note('d', 1) && note('e', 0) && note('f', 1);
    (void)(note('g', 0), note('h', 0));
    a[note('i', 2)] = 5;
    i = note('j', i) + 1;
    if (note('k', 0) || note('l', 1))
        note('m', 0);
    for (note('n', 0); note('o', i) < 3; note('p', i++))
        note('q', 0);
    printf("%s %d %d\n", trace, a[2], i);
    return 0;
}
