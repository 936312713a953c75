// exit from the middle of calls, with a status of more than a byte.
#include <stdlib.h>

static void deep(int n) {
    if (n == 0) exit(256 + 77);
    deep(n - 1);
}

int main(void) {
    deep(1000);
    return 1;
}
