// leaving\n (exit 51)
#include <stdlib.h>
int printf(const char *format, ...);

static void leave(int status)
{
    printf("leaving\n");
    exit(status);
}

int main(void)
{
    leave(300 + 7);
    printf("never\n");
    return 1;
}
