// An allocator of the program itself: without contexts, all that it makes is one.
//= one -> allocated at wrapped_allocator.c:11
//= two -> allocated at wrapped_allocator.c:11
//= allocated at wrapped_allocator.c:11 -> x, y
#include <stdlib.h>
int x, y, **one, **two;

void *allocate(unsigned long size) {
    void *made;
    if (size == 0) abort();
    made = malloc(size);
    if (!made) abort();
    return made;
}

int main(void) {
    one = allocate(sizeof(int *));
    two = allocate(sizeof(int *));
    *one = &x;
    *two = &y;
    return 0;
}
