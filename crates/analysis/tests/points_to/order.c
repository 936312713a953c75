// A pointer that was overwritten keeps its old targets: the order of steps does not matter.
//= p -> x, y
//= q -> x, y
int x, y, *p, *q;

int main(void) {
    p = &x;
    q = p;
    p = &y;
    return *q;
}
