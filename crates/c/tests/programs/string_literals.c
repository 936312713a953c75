// 11 10 A1A one two 0 z 0 e 6 233 16 é\n
int printf(const char *format, ...);

static char buffer[] = "ab" "cd\n" "\x41" "1\101\0z";
static const char *const words[] = { "one", "t\
wo", "" };

int main(void)
{
    char exact[3] = "xyz";
    char longer[6] = "ab";
    const int *wide = L"h\u00e9";
    printf("%d %d %c%c%c ", (int)sizeof buffer, buffer[4], buffer[5], buffer[6], buffer[7]);
    printf("%s %s %d %c ", words[0], words[1], *words[2], exact[2]);
    printf("%d %c %d ", longer[5], "hello"[1], (int)sizeof "hello");
    printf("%d %d %s\n", wide[1], (int)sizeof L"abc", "h\u00e9" + 1);
    return 0;
}
