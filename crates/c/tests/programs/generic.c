// 1 2 3 5 6 0 2 2\n
int printf(const char *format, ...);

#define KIND(x) _Generic((x), char: 1, int: 2, long: 3, const char *: 4, char *: 5, int *: 6, default: 0)

struct s { int a; };

int main(void)
{
    char c = 1;
    const int n = 2;
    int array[3];
    struct s s;
    printf("%d %d %d %d ", KIND(c), KIND(n), KIND(1l), KIND("text"));
    printf("%d %d %d %d\n", KIND(array), KIND(s), KIND(+c), _Generic(0, int: n, default: n / 0 + 1));
    return 0;
}
