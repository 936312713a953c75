// Members of a union lie at the same place.
//= u -> x, y
//= p -> x, y
//= q -> memory at an address that was a number, x (any part), y (any part)
//= tagged.of -> x
union { int *first; int *second; unsigned long number; } u;
struct { int tag; union { int *pointer; int number; } of; } tagged;
int x, y, *p, *q;

int main(void) {
    u.first = &x;
    u.second = &y;
    p = u.first;
    q = (int *)u.number;
    tagged.tag = 1;
    tagged.of.pointer = &x;
    return p == q;
}
