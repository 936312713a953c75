// 3298327947 772629793\n
#include <string.h>
int printf(const char *format, ...);
static const char *words[] = {"", "a", "abca", "b\xff\x80" "b", "aab", "ab", "ca"};
int main(void) {
    unsigned spans = 0, parts = 0;
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 7; k++) {
            const char *word = words[i], *other = words[k];
            char *found = strpbrk(word, other);
            spans = spans * 31 + (unsigned)strspn(word, other) * 7 + (unsigned)strcspn(word, other);
            parts = parts * 31 + (found == 0 ? 99 : (unsigned)(found - word));
            found = strstr(word, other);
            parts = parts * 31 + (found == 0 ? 99 : (unsigned)(found - word));
        }
    printf("%u %u\n", spans, parts);
    return 0;
}
