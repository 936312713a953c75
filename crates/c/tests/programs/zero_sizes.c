// 0 4 3 1\n
int printf(const char *format, ...);

struct empty { };
struct ends { int n; int rest[0]; };
struct holds { struct empty e; int a; struct empty f; };

static struct empty make(void) { struct empty e; return e; }

int main(void)
{
    struct holds h = { .a = 3 };
    struct { int n; int items[4]; } space = { 2, { 5, 6 } };
    struct ends *p = (struct ends *)&space;
    h.e = make();
    printf("%d %d %d %d\n", (int)sizeof(struct empty), (int)sizeof(struct ends), h.a, (int)(p->rest == space.items));
    return 0;
}
