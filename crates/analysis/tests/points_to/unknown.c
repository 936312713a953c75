// A function without a body keeps what it is given, and gives any of it back.
//= kept -> what unknown procedures know
//= hidden -> z
//= slot -> x
//= slot (any part) -> what unknown procedures know
//= what unknown procedures know -> slot, x, y
int x, y, z, *slot, *kept, *hidden;
int *exchange(int **place, int *value);

int main(void) {
    slot = &x;
    hidden = &z;
    kept = exchange(&slot, &y);
    return 0;
}
