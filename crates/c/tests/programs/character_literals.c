// 97 10 0 92 -1 -128 24930 39 255 27 4\n
int printf(const char *format, ...);

int main(void)
{
    printf("%d %d %d %d ", 'a', '\n', '\0', '\\');
    printf("%d %d %d %d ", '\377', '\x80', 'ab', '\'');
    printf("%d %d %d\n", L'\xff', '\e', (int)sizeof L'a');
    return 0;
}
