// Calls by pointers, recursion, records by value and as results.
#include <stdio.h>

struct big { int values[6]; struct big *self; };

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int (*table[2])(int, int) = {add, subtract};
static int (*choose(int which))(int, int) { return table[which]; }
static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static struct big changed(struct big b) { b.values[2] = 99; b.self = &b == b.self ? 0 : b.self; return b; }
static void each(const int *row, int length, void (*visit)(int, void *), void *data) { for (int i = 0; i < length; i++) visit(row[i], data); }
static void total(int value, void *data) { *(int *)data += value; }

int main(void) {
    struct big b = {{1, 2, 3, 4, 5, 6}, &b};
    struct big c = changed(b);
    int sum = 0;
    each(c.values, 6, total, &sum);
    printf("%d %d %d %d %d\n", choose(1)(7, 3), (*table[0])(7, 3), ackermann(2, 6), b.values[2], changed(c).values[2]);
    printf("%d %d %d\n", sum, c.self == &b, table[0] == add);
    return choose(0) == subtract;
}
