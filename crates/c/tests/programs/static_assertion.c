// 8\n
int printf(const char *format, ...);

_Static_assert(sizeof(int) == 4, "int has four bytes");
struct s { char a; _Static_assert(1, "in a struct"); int b; };

int main(void)
{
    _Static_assert(sizeof(struct s) == 8, "padding");
    printf("%d\n", (int)sizeof(struct s));
    _Static_assert(-1 < 0);
    return 0;
}
