// 1 9 25 \n
#include <stdlib.h>
int printf(const char *format, ...);

struct node { int value; struct node *next; };

static struct node *push(struct node *list, int value)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        abort();
    *node = (struct node){ value, list };
    return node;
}

static struct node *reverse(struct node *list)
{
    struct node *result = NULL;
    while (list) {
        struct node *next = list->next;
        list->next = result;
        result = list;
        list = next;
    }
    return result;
}

int main(void)
{
    struct node *list = 0, **where;
    for (int i = 1; i <= 5; i++)
        list = push(list, i * i);
    list = reverse(list);
    for (where = &list; *where; )
        if ((*where)->value % 2 == 0) {
            struct node *gone = *where;
            *where = gone->next;
            free(gone);
        } else
            where = &(*where)->next;
    while (list) {
        struct node *next = list->next;
        printf("%d ", list->value);
        free(list);
        list = next;
    }
    printf("\n");
    return 0;
}
