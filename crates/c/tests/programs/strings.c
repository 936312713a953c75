// 12 12 world hello, worl 1 1 0\n
#include <string.h>
int printf(const char *format, ...);

static int length(const char *text)
{
    const char *end = text;
    while (*end)
        end++;
    return end - text;
}

int main(void)
{
    char buffer[32] = "abc";
    strcpy(buffer, "hello");
    strcpy(buffer + strlen(buffer), ", world");
    printf("%d %d %s ", length(buffer), (int)strlen(buffer), buffer + 7);
    buffer[strlen(buffer) - 1] = '\0';
    printf("%s %d %d %d\n", buffer, strcmp("a", "b") < 0, strcmp("abd", "abc") > 0, strcmp("x", "x"));
    return 0;
}
