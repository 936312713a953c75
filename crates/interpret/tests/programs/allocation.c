// malloc, calloc, realloc, free: a list, and an array that grows.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; int value; };

int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 10; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        node->value = i * i;
        list = node;
    }
    int *row = NULL;
    size_t length = 0;
    for (struct node *node = list; node;) {
        struct node *next = node->next;
        row = realloc(row, (length + 1) * sizeof *row);
        row[length++] = node->value;
        free(node);
        node = next;
    }
    int *zeros = calloc(length, sizeof *zeros);
    printf("%d %d %d\n", row[0], row[length - 1], zeros[3]);
    memmove(row + 1, row, 4 * sizeof *row);
    printf("%d %d %d %d\n", row[0], row[1], row[4], memcmp(zeros, zeros + 1, 8));
    free(row);
    free(zeros);
    free(NULL);
    char text[20];
    strcpy(text, "hello");
    printf("%s %zu %d %d\n", text, strlen(text), strcmp(text, "hello"), strcmp(text, "help") < 0);
    return 0;
}
