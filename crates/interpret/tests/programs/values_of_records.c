// Records and compound literals as values: returned, passed, assigned in a row, chosen, in statement expressions.
#include <stdio.h>

struct pair { int x, y; };
struct big { int a[5]; struct { char c; long long l; } in; double d; };
struct empty { };
struct holder { char c; struct empty e; int x; };

static struct pair make(int x, int y) { return (struct pair){ .y = y, .x = x }; }
static struct big changed(struct big b, int by) {
    b.a[0] += by;
    b.in.l *= 2;
    return b;
}
static struct empty nothing(void) {
    struct empty e;
    return e;
}
static int literals(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int *p = (int[2]){ i, i * 2 };
        p[0]++;
        sum += p[0] + p[1] + (&(struct pair){ i })->x;
    }
    return sum;
}

int main(void) {
    struct big g = { { 1, 2, 3 }, { 'x', 99 }, 2.5 }, copy = changed(g, 5);
    printf("%d %lld %g %d\n", copy.a[0], copy.in.l, copy.d, g.a[0]);
    printf("%d %d\n", changed(changed(copy, 1), 2).a[0], make(7, 8).y);
    struct pair a = { 1, 2 }, b, c, *p = &a;
    b = c = make(3, 4);
    printf("%d %d\n", b.x, c.y);
    printf("%d\n", (b = a).x);
    *p = (struct pair){ p->y, p->x };
    printf("%d %d %d\n", a.x, a.y, (a.x > 1 ? a : c).y);
    struct pair chosen = ({ struct pair t = c; t.x = 77; t; });
    printf("%d %d\n", chosen.x, ((struct pair[2]){ { 1, 2 }, chosen })[1].y);
    struct holder h = { 'c', {}, 5 };
    h.e = nothing();
    printf("%d %d %d\n", h.x, (int)sizeof h, literals(4));
    return ({ int t = 5; t *= 2; t + ({ int u = t; u + 1; }); });
}
