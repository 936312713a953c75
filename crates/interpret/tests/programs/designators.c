// Initialisers: designators, ranges, overriding, brace elision, strings, records without names.
#include <stdio.h>

struct inner { int x, y; };
struct outer {
    int a;
    union {
        int u;
        float f;
        struct { short low, high; };
    };
    char text[6];
    struct inner pairs[2];
};

struct outer records[3] = {
    [1] = { .a = 1, .u = 0x10002, .text = "hi", .pairs = { [1].y = 4, [0].x = 3 } },
    { 5, { .f = 1.0f }, "sixsix" },
    [0].pairs[1] = { 8, 9 },
};
struct outer elided = { 1, { 2 }, { 'a', 'b' }, 7, 8, 9 };
int by_index[] = { [5] = 1, 2, [1] = 3 };
int ranges[10] = { [1 ... 3] = 5, [2] = 6, [7 ... 8] = 1 };
int deep[2][2][2] = { { { 1, 2 }, 3 }, 5, 6, { [1] = 7 } };
char strings[][4] = { "ab", "cde", { 'x' } };
struct { int n; const char *name; int *where; } table[] = { { 1, "one", &ranges[2] }, { .name = "two" } };
union { int i; struct { int a, b; } s; char c; } first = { 300 }, second = { .s = { 1, 2 } }, last = { .i = 7, .c = 1 };

int main(void) {
    for (int i = 0; i < 3; i++) {
        struct outer *r = &records[i];
        printf("%d %d %d %d %.5s |", r->a, r->u, r->low, r->high, r->text);
        printf(" %d %d %d %d\n", r->pairs[0].x, r->pairs[0].y, r->pairs[1].x, r->pairs[1].y);
    }
    printf("%d %d %d %d\n", elided.u, elided.text[1], elided.pairs[0].y, elided.pairs[1].x);
    printf("%d %d %d\n", (int)(sizeof by_index / sizeof *by_index), by_index[6], by_index[1]);
    for (int i = 0; i < 10; i++)
        printf("%d", ranges[i]);
    for (int i = 0; i < 8; i++)
        printf(" %d", deep[i / 4][i / 2 % 2][i % 2]);
    printf("\n%s %c %c %d\n", strings[0], strings[1][2], strings[2][0], (int)sizeof strings);
    printf("%s %d %s %d\n", table[0].name, *table[0].where, table[1].name, table[1].where == 0);
    printf("%d %d %d %d\n", first.c, second.s.b, second.i, last.i);
    int local[6] = { [4] = first.i, local[4] ? 1 : 2 }, tail[4] = { 1 };
    char exact[3] = "abc", padded[5] = "a";
    printf("%d %d %d %c %d\n", local[4], local[0], tail[3], exact[2], padded[4]);
    return 0;
}
