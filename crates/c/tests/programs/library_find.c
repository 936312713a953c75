// 357118375 2064431111 471084343 6 1\n
#include <string.h>
int printf(const char *format, ...);
static const char *words[] = {"", "a", "abca", "b\xff\x80" "b", "xyz"};
int main(void) {
    unsigned hash = 0, last = 0, bytes = 0;
    for (int i = 0; i < 5; i++) {
        const char *word = words[i];
        for (int c = -300; c < 600; c++) {
            char *found = strchr(word, c);
            hash = hash * 31 + (found == 0 ? 99 : (unsigned)(found - word));
            found = strrchr(word, c);
            last = last * 31 + (found == 0 ? 99 : (unsigned)(found - word));
        }
        for (int c = -300; c < 600; c += 3)
            for (int n = 0; n <= (int)strlen(word) + 1; n++) {
                void *found = memchr(word, c, n);
                bytes = bytes * 31 + (found == 0 ? 99 : (unsigned)((char *)found - word));
            }
    }
    int numbers[] = {1, 0x20304, -1};
    printf("%u %u %u %d %d\n", hash, last, bytes, (int)((char *)memchr(numbers, 2, sizeof numbers) - (char *)numbers),
           memchr("abc", 'c', (size_t)-1) != 0);
    return 0;
}
