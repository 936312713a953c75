// [   42|42   |00042|+42| 42] [ff|FF|0xff|10|4294967295] [abc|     abc|abc     |ab] [x|%|  y] [-5|-5|ffffffffffffffff|-3|-56] [   7|005|9]\nend\n
int printf(const char *format, ...);
int puts(const char *text);
int putchar(int character);

int main(void)
{
    printf("[%5d|%-5d|%05d|%+d|% d] ", 42, 42, 42, 42, 42);
    printf("[%x|%X|%#x|%o|%u] ", 255, 255, 255, 8, -1);
    printf("[%s|%8s|%-8s|%.2s] ", "abc", "abc", "abc", "abc");
    printf("[%c|%%|%3c] ", 'x', 'y');
    printf("[%ld|%lld|%llx|%hd|%hhd] ", -5l, -5ll, ~0ull, (short)-3, (char)200);
    printf("[%*d|%.3d|%lu]", 4, 7, 5, 9ul);
    putchar('\n');
    return puts("end") < 0;
}
