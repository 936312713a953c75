// 1 4 abc -9 14 gbc -9 2 -12\n
int printf(const char *format, ...);

struct point { int x, y; };
struct box { struct point low, high; char name[4]; };

static struct box grown(struct box b, int by)
{
    b.low.x -= by;
    b.high.y += by;
    b.name[0] = 'g';
    return b;
}

int main(void)
{
    struct box a = { { 1, 2 }, { 3, 4 }, "abc" };
    struct box b = grown(a, 10), c;
    c = b;
    c.high = a.low;
    a = a;
    printf("%d %d %s ", a.low.x, a.high.y, a.name);
    printf("%d %d %s ", b.low.x, b.high.y, b.name);
    printf("%d %d %d\n", c.low.x, c.high.y, grown(grown(c, 1), 2).low.x);
    return 0;
}
