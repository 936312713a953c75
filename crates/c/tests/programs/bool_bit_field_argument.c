// 2 2 1 1\n
#include <stdio.h>

struct flags {
    int number;
    _Bool first : 1;
    unsigned char rest : 7;
    _Bool second;
} flags = { 5, 1, 2, 1 };

static int both(_Bool x, _Bool y) { return x + y; }

static _Bool first(void) { return flags.first; }

int main(void) {
    int (*by_pointer)(_Bool, _Bool) = both;
    printf("%d ", both(flags.first, flags.second));
    printf("%d ", by_pointer(flags.first, flags.number));
    printf("%d %d\n", both(first(), 0), flags.first);
    return 0;
}
