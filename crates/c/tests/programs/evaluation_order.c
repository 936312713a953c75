// 321 321 451 14 14 14 82\n 9 -2 35 82 21 2\n 9 9 -4 20 1 0 0 9 6 6 13 0 5\n 12 21 21 231 231 213 231 12 231 2321 321 217 5 12 21 12 123 21 21 7\n 2132121 2 3 2\n
int printf(const char *format, ...);

/* Orders that the language leaves open, as gcc chooses them. */
static int order, g, table[12], *moved;
static struct pair { int x, y; } one, two = { 77, 0 }, *pair, pairs[3];

static int a(void) { order = order * 10 + 1; return 1; }
static int b(void) { order = order * 10 + 2; return 2; }
static int c(void) { order = order * 10 + 3; return 3; }
static int *at(void) { a(); return &g; }
static struct pair made(int x) { order = order * 10 + x; return (struct pair) { x, x }; }
static int three(int x, int y, int z) { return x * 100 + y * 10 + z; }
static int first(struct pair p, int n) { return p.x + n; }
static int second(int n, struct pair p) { return p.x + n; }

static int changed(void)
{
    g = 4;
    one.x = 9;
    pair = &two;
    moved = table + 2;
    return 5;
}

static void reset(void)
{
    g = one.x = 1;
    pair = &one;
    moved = table;
    order = 0;
}

#define SHOW(expression) (reset(), printf(" %d", (int)(expression)))
#define ORDER(expression) (reset(), (void)(expression), printf(" %d", order))

int main(void)
{
    /* Arguments from right to left; what a record holds is read last. */
    ORDER(three(a(), b(), c()));
    ORDER(three(three(a(), b(), 0), 0, c()));
    SHOW(three(g, changed(), g));
    SHOW(first(one, changed()));
    SHOW(second(changed(), one));
    SHOW(second(changed(), *pair));
    SHOW(first(*pair, changed()));
    printf("\n");
    /* What is added comes first. */
    SHOW((g += changed(), g));
    SHOW((g -= changed() + 1, g));
    SHOW((table[g] = 10, table[4] = 20, table[g] += changed(), table[1] + table[4]));
    SHOW((pair->x += changed(), two.x));
    ORDER(*at() += b());
    SHOW((*at() += order, g));
    printf("\n");
    /* A variable is read behind what has effects, where the operator is symmetric. */
    SHOW(g + changed());
    SHOW(changed() + g);
    SHOW(g - changed());
    SHOW(g * changed());
    SHOW((g ^ changed()) + (g == changed()));
    SHOW((g = 5, g == changed()));
    SHOW((g = 9, g > changed()));
    SHOW((unsigned)g + changed());
    SHOW((short)g + changed());
    SHOW(one.x + changed());
    SHOW(g + changed() + g);
    SHOW(moved == (changed(), table));
    SHOW(&moved[changed()] - table);
    printf("\n");
    /* What is assigned comes before where it goes, unless it is a call. */
    ORDER(table[a()] = b());
    ORDER(table[a()] = -b());
    ORDER(table[a()] = g = b());
    ORDER(table[a()] = table[b()] = c());
    ORDER(table[a()] = b() && c());
    ORDER(*at() = (b(), c()));
    ORDER(*at() = b() ? c() : a());
    ORDER(*at() = ({ b(); }));
    ORDER(*at() = ({ b(); c() + 1; }));
    ORDER(table[a()] = three(b(), c(), b()));
    ORDER(*at() = three(0, three(b(), 0, c()), 0));
    ORDER(pairs[a()] = made(b() + 5));
    SHOW((table[1] = table[4] = 0, table[g] = three(0, 0, changed()), table[1] * 10 + table[4]));
    ORDER(pairs[a()] = made(2));
    ORDER(pairs[a()] = one = made(2));
    ORDER(pairs[a()] = g ? made(2) : made(3));
    ORDER((pairs[a()] = (struct pair) { b(), c() }));
    ORDER(pairs[a()] = pairs[b()]);
    ORDER(pairs[a()].x = made(2).x);
    SHOW((table[1] = table[4] = 0, table[g] = (changed(), 7), table[1] * 10 + table[4]));
    printf("\n");
    /* Parts of a record or an array in the order of its type. */
    reset();
    struct pair p = { .y = a(), .x = b() };
    int q[3] = { [2] = a(), [1] = b(), [0] = c() };
    int long_one[20] = { [9] = a(), [3] = b() };
    printf(" %d %d %d %d\n", order, p.x, q[0], long_one[3]);
    return 0;
}
