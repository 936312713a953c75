// `=` with an operator, `++`, conditional values and short circuit: what is evaluated, and how often.
#include <stdio.h>

static int trace;
static int seen(int value) {
    trace = trace * 10 + value;
    return value;
}

int main(void) {
    int r = seen(1) + seen(2) * seen(3);
    r += seen(4) && seen(0) && seen(5);
    r += seen(0) || seen(6) || seen(7);
    printf("%d %d\n", r, trace);
    int a[5] = { 5, 4, 3, 2, 1 }, i = 0, *p = a;
    a[i++] += 10;
    *p++ += 5;
    *p-- *= 2;
    p[2] ^= p[1];
    printf("%d %d %d %d %d\n", i, a[0], a[1], a[2], (int)(p - a));
    i = 5;
    i ^= i << 3;
    i |= 0x100;
    i %= 1000;
    i <<= 2;
    i >>= 1;
    printf("%d %d\n", i, ~i);
    printf("%d %d\n", 0 ?: 5, (trace = 3) ?: 5);
    int x = (i = 3, i + 1), *null = 0;
    printf("%d %d %d\n", x, null && *null, null ? *null : -1);
    double d = 7;
    d /= 2;
    d++;
    char c = 'a';
    c += 1.9;
    printf("%g %c\n", d, c);
    p = a + 5;
    while (p > a)
        printf("%d ", *--p);
    printf("\n");
    return i == 3 ? i > 2 ? 7 : 8 : 9;
}
