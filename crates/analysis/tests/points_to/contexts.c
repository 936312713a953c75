// Calls are not kept apart: what one caller passes comes back to the other.
//= same: pointer -> x, y
//= first -> x, y
//= second -> x, y
//= third -> z
int x, y, z, *first, *second, *third;

int *same(int *pointer) { return pointer; }

int main(void) {
    first = same(&x);
    second = same(&y);
    third = &z;
    return *first + *second + *third;
}
