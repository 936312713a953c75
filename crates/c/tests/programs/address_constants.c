// 2 5 2 2 1 ello 15 1\n
int printf(const char *format, ...);

static int numbers[5] = { 1, 2, 3, 4, 5 };
static int *second = &numbers[1], *last = numbers + 4;
static int **through = &second;
static struct node { int value; struct node *next; } b, a = { 1, &b }, b = { 2, &a };
static const char *text = "hello" + 1;
static int offset = sizeof(numbers) / 4 + (3 > 2 ? 10 : 20);
static void *self = &self;

int main(void)
{
    printf("%d %d %d ", *second, *last, **through);
    printf("%d %d %s %d %d\n", a.next->value, a.next->next->value, text, offset, self == (void *)&self);
    return 0;
}
