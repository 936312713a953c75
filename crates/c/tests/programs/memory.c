// 5 -1 -1 5 6 0 77 1\n
#include <stdlib.h>
#include <string.h>
int printf(const char *format, ...);

struct flexible { int count; short items[]; };

int main(void)
{
    int *numbers = malloc(4 * sizeof *numbers);
    char *zeros = calloc(10, 1);
    struct flexible *f = malloc(sizeof *f + 3 * sizeof(short));
    int copy[4];
    memset(numbers, 0xff, 16);
    numbers[1] = 5;
    memcpy(copy, numbers, sizeof copy);
    memmove(copy + 1, copy, 8);
    f->count = 3;
    f->items[2] = 77;
    numbers = realloc(numbers, 40);
    numbers[9] = 6;
    printf("%d %d %d %d %d ", numbers[1], numbers[3], copy[1], copy[2], numbers[9]);
    printf("%d %d %d\n", zeros[9], f->items[2], memcmp(copy, copy + 1, 4) == 0);
    free(numbers);
    free(zeros);
    free(f);
    free(0);
    return 0;
}
