// 5 1 0 1 1 6\n
int printf(const char *format, ...);

int main(void)
{
    int x = __builtin_choose_expr(1, 5, "text");
    printf("%d %d ", x, __builtin_types_compatible_p(int, const int));
    printf("%d %d ", __builtin_types_compatible_p(int *, char *), __builtin_constant_p(3 + 4));
    printf("%d %d\n", (int)__builtin_expect(x == 5, 1), (int)__builtin_offsetof(struct { char a; short b[3]; }, b[2]));
    if (x != 5)
        __builtin_unreachable();
    return 0;
}
