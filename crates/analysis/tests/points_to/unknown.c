// A function without a body keeps what it is given, and gives any of it back.
//= kept -> slot (any part), x (any part), what unknown procedures have made, y (any part)
//= hidden -> z
//= slot -> x
//= slot (any part) -> slot (any part), x (any part), what unknown procedures have made, y (any part)
int x, y, z, *slot, *kept, *hidden;
int *exchange(int **place, int *value);

int main(void) {
    slot = &x;
    hidden = &z;
    kept = exchange(&slot, &y);
    return 0;
}
