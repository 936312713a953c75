// 3\n
#include <assert.h>
int printf(const char *format, ...);

int main(void)
{
    int x = 3;
    assert(x == 3);
    assert(x > 0 && "positive");
    printf("%d\n", x);
    return 0;
}
