// One object for each call of malloc: a list's cells are one, another list's cells are another.
//= list -> allocated at heap.c:15
//= other -> allocated at heap.c:24
//= allocated at heap.c:15 -> allocated at heap.c:15
//= allocated at heap.c:15 + 8 -> x
//= allocated at heap.c:24 + 8 -> y
//= found -> x
#include <stdlib.h>
struct cell { struct cell *next; int *value; } *list, *other;
int x, y, *found;

int main(void) {
    for (int i = 0; i < 3; i++) {
        // Allocated here.
        struct cell *new = malloc(sizeof *new);
        if (!new) abort();
        new->next = list;
        new->value = &x;
        list = new;
    }
    for (struct cell *at = list; at; at = at->next)
        found = at->value;
    // And here.
    other = malloc(sizeof *other);
    if (!other) abort();
    other->value = &y;
    return *found;
}
