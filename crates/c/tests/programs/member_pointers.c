// 2 4 5 y 1\n
int printf(const char *format, ...);

struct inner { int a[3]; char c; };
struct outer { int first; struct inner in; struct inner *link; };

static void increase(int *number)
{
    ++*number;
}

int main(void)
{
    struct outer o = { 1, { { 2, 3, 4 }, 'x' }, 0 };
    struct outer *p = &o;
    char *c = &p->in.c;
    int *last = &p->in.a[2];
    p->link = &o.in;
    increase(&p->first);
    increase(last);
    increase(p->link->a + 1);
    *c = 'y';
    printf("%d %d %d %c %d\n", o.first, o.in.a[1], o.in.a[2], p->link->c, last == &(*p).link->a[2]);
    return 0;
}
