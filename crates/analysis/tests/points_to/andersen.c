// The first example of Andersen's thesis (chapter 4): steps have no order, and a call by pointer has targets, too.
//= p -> x, y
//= q -> p
//= compare -> ascending
int x, y, *p, **q;
int (*compare)(int, int);

int ascending(int a, int b) { return a < b; }

int main(void) {
    p = &x;
    q = &p;
    *q = &y;
    compare = &ascending;
    return compare(*p, x);
}
