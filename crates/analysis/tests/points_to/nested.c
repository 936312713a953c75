// Records in records, and arrays in them: elements are one, fields are not.
//= outer.inner[].left -> x
//= outer.inner[].right -> y
//= outer.last -> z
//= got -> x
struct inner { int *left, *right; };
struct outer { int number; struct inner inner[4]; int *last; } outer;
int x, y, z, *got;

int main(void) {
    outer.inner[0].left = &x;
    outer.inner[3].right = &y;
    outer.last = &z;
    got = outer.inner[2].left;
    return got != 0;
}
