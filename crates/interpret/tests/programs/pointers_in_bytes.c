// Pointers survive memcpy, unions, copies by characters and integers, also in a packed record.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct __attribute__((packed)) packed { char first; int *pointer; short last; };
union both { int *pointer; unsigned char bytes[sizeof(int *)]; uintptr_t number; };

int main(void) {
    int x = 42, y = 7;
    struct packed a = {1, &x, 2}, b;
    memcpy(&b, &a, sizeof a);
    union both u, v;
    u.pointer = &y;
    for (unsigned i = 0; i < sizeof u; i++) v.bytes[i] = u.bytes[i];
    uintptr_t number = (uintptr_t)&x;
    number ^= 0x55;
    number ^= 0x55;
    int *again = (int *)number;
    printf("%d %d %d %d\n", *b.pointer, *v.pointer, *again, v.number == (uintptr_t)&y);
    char raw[sizeof(struct packed)];
    memcpy(raw, &b, sizeof b);
    struct packed *c = (struct packed *)raw;
    *c->pointer += 1;
    printf("%d %d %d\n", x, c->first, c->last);
    return 0;
}
