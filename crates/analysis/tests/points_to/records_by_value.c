// Records that are passed and returned as a whole.
//= swap: pair.first -> x
//= swap: pair.second -> y
//= swapped.first -> y
//= swapped.second -> x
struct pair { int *first, *second; } swapped;
int x, y;

struct pair swap(struct pair pair) {
    return (struct pair){ pair.second, pair.first };
}

int main(void) {
    swapped = swap((struct pair){ &x, &y });
    return 0;
}
