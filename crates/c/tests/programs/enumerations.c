// 6 6 16 -2 100 1 4 0\n
int printf(const char *format, ...);

enum colour { RED, GREEN = 5, BLUE, LAST = BLUE + 10, AGAIN = 5 };
enum { NEGATIVE = -3, NEXT };
enum wide { LARGE = 0xffffffffu };

int main(void)
{
    enum colour c = BLUE;
    enum colour d = 1;
    enum { RED = 100 } inner = RED;
    printf("%d %d %d %d %d ", c, d + GREEN, LAST, NEXT, inner);
    printf("%d %d %d\n", AGAIN == GREEN, (int)sizeof(enum colour), (enum colour)-1 < 0);
    return (int)sizeof(enum wide) - 4;
}
