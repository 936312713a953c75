// A program that ends itself by abort.
#include <stdlib.h>

int main(void) {
    if (sizeof(int) == 4) abort();
    return 0;
}
