// -1 0 3 3 5 7 8 9 9 -1\n
int printf(const char *format, ...);

static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

static void sort(int *numbers, int count, int (*compare)(const int *, const int *))
{
    if (count < 2)
        return;
    int last = 0;
    swap(numbers, numbers + count / 2);
    for (int i = 1; i < count; i++)
        if (compare(numbers + i, numbers) < 0)
            swap(&numbers[++last], &numbers[i]);
    swap(numbers, numbers + last);
    sort(numbers, last, compare);
    sort(numbers + last + 1, count - last - 1, compare);
}

static int up(const int *a, const int *b) { return *a - *b; }
static int down(const int *a, const int *b) { return *b - *a; }

int main(void)
{
    int numbers[] = { 5, 3, 9, -1, 7, 3, 0, 8 };
    int count = sizeof numbers / sizeof numbers[0];
    sort(numbers, count, up);
    for (int i = 0; i < count; i++)
        printf("%d ", numbers[i]);
    sort(numbers, count, down);
    printf("%d %d\n", numbers[0], numbers[count - 1]);
    return 0;
}
