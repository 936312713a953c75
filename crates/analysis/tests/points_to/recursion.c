// A parameter that grows with every call: it comes to an end.
//= descend: at -> tree.children[].left, allocated at recursion.c:12
//= tree.children[].left -> allocated at recursion.c:12
#include <stdlib.h>
struct children { struct node *left; };
struct node { struct children children[2]; int depth; } tree;

void descend(struct node *at, int depth) {
    // Allocated here.
    if (depth > 3) return;
    if (!at->children[0].left)
        at->children[0].left = calloc(1, sizeof(struct node));
    if (at->children[0].left) descend(at->children[0].left, depth + 1);
}

int main(void) {
    descend(&tree, 0);
    return 0;
}
