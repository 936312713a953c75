// 18 12 27 4 1 1 2 15 12 3\n
int printf(const char *format, ...);

int main(void)
{
    int numbers[10];
    int *p = numbers, *end = numbers + 10;
    short halves[4] = { 1, 2, 3, 4 };
    char *bytes = (char *)halves;
    while (p != end) {
        *p = (int)(p - numbers) * 3;
        p++;
    }
    p -= 4;
    printf("%d %d %d %d ", *p, p[-2], *(end - 1), (int)(end - p));
    printf("%d %d %d ", p < end, &numbers[3] == numbers + 3, *(short *)(bytes + 2));
    p = &numbers[5];
    printf("%d ", *p--);
    printf("%d %d\n", *p, (int)(&halves[3] - halves));
    return 0;
}
