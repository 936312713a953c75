// 40 3852973776 1149175748 1149175748 1 1 0 1 0\n
// Every two strings of at most three characters out of three, one of them negative as a `char`.
#include <string.h>
int printf(const char *format, ...);
static char words[40][4];
static unsigned hash;
static void add(int result) { hash = hash * 31 + (result > 0 ? 1 : result < 0 ? 2 : 3); }
static int fill(void) {
    const char letters[] = {'a', 'b', (char)0xff};
    int count = 1;
    for (int begin = 0, end = 1, length = 0; length < 3; length++) {
        for (int w = begin; w < end; w++)
            for (int l = 0; l < 3; l++) {
                for (int i = 0; i < length; i++)
                    words[count][i] = words[w][i];
                words[count++][length] = letters[l];
            }
        begin = end;
        end = count;
    }
    return count;
}
int main(void) {
    int count = fill();
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            add(strcmp(words[i], words[j]));
    printf("%d %u", count, hash);
    hash = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j += 3)
            for (int n = 0; n < 5; n++)
                add(strncmp(words[i], words[j], n));
    printf(" %u", hash);
    hash = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j += 3)
            for (int n = 0; n < 5; n++)
                add(memcmp(words[i], words[j], n));
    printf(" %u", hash);
    int (*by)(const char *, const char *) = strcmp;
    short numbers[] = {1, -1, 256}, others[] = {1, -1, 255};
    printf(" %d %d %d", by("x", "xy") < 0, memcmp(numbers, others, sizeof numbers) < 0, memcmp(numbers, others, 4));
    printf(" %d %d\n", strncmp("abc", "abd", (size_t)-1) < 0, strncmp("same", "same", (size_t)-1));
    return 0;
}
