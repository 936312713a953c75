// A pointer that goes through an integer, or is copied byte by byte, is not lost. One that a
// number was made may point at every object whose address became a number.
//= number -> memory at an address that was a number, x
//= p -> memory at an address that was a number, x (any part)
//= q -> y
#include <string.h>
int x, y, *p, *q, *r;
unsigned long number;

int main(void) {
    number = (unsigned long)&x;
    p = (int *)number;
    r = &y;
    memcpy(&q, &r, sizeof q);
    return *p + *q;
}
