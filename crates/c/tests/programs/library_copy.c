// -m32: 1478875246 2039018402 3 2 4 g\n; -m64: 1478875246 2039018402 3 2 8 g\n
// What lies behind the end of a copy stays as it was.
#include <string.h>
int printf(const char *format, ...);
static unsigned hash;
static const char *words[] = {"", "a", "ab", "abc", "\xff\x80", "x\0y"};
static void add(const char *bytes, unsigned long count) {
    for (unsigned long i = 0; i < count; i++)
        hash = hash * 31 + (unsigned char)bytes[i];
}
static char *fresh(char *buffer, const char *word) {
    memset(buffer, '#', 12);
    for (int i = 0; i <= (int)strlen(word); i++)
        buffer[i] = word[i];
    return buffer;
}
int main(void) {
    char buffer[12];
    for (int i = 0; i < 6; i++) {
        hash = hash * 7 + strlen(words[i]);
        for (int j = 0; j < 6; j++) {
            hash += strcpy(fresh(buffer, words[i]) + 1, words[j]) == buffer + 1;
            add(buffer, sizeof buffer);
            hash += strcat(fresh(buffer, words[i]), words[j]) == buffer;
            add(buffer, sizeof buffer);
        }
    }
    printf("%u", hash);
    hash = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            for (int n = 0; n < 7; n++) {
                hash += strncpy(fresh(buffer, words[i]) + 2, words[j], n) == buffer + 2;
                add(buffer, sizeof buffer);
                hash += strncat(fresh(buffer, words[i]), words[j], n) == buffer;
                add(buffer, sizeof buffer);
                hash = hash * 7 + strnlen(words[j], n);
            }
    char full[3] = {'a', 'b', 'c'}, name[4];
    strncpy(name, "long name", sizeof name);
    printf(" %u %d %d %d %c\n", hash, (int)strnlen(full, 3), (int)strnlen("ab", (size_t)-1), (int)sizeof strlen(full),
           name[3]);
    return 0;
}
