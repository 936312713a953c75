// A pointer that goes through an integer, or is copied byte by byte, is not lost.
//= number -> x
//= p -> x
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
