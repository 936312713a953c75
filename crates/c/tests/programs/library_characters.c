// 62 52 2 33 10 94 26 95 32 6 26 22 1682565368 1 0\n
#include <ctype.h>
#include <stdio.h>
static unsigned hash;
#define COUNT(f) { \
    int holds = 0; \
    for (int c = -1; c < 256; c++) { \
        holds += f(c) != 0; \
        hash = hash * 31 + (f(c) != 0); \
    } \
    printf("%d ", holds); \
}
int main(void) {
    int (*is)(int) = isupper;
    COUNT(isalnum)
    COUNT(isalpha)
    COUNT(isblank)
    COUNT(iscntrl)
    COUNT(isdigit)
    COUNT(isgraph)
    COUNT(islower)
    COUNT(isprint)
    COUNT(ispunct)
    COUNT(isspace)
    COUNT(isupper)
    COUNT(isxdigit)
    for (int c = -1; c < 256; c++)
        hash = hash * 31 + (unsigned)toupper(c) * 7 + (unsigned)tolower(c);
    printf("%u %d %d\n", hash, is('A') != 0, is('a'));
    return 0;
}
