// 1006 3002 8589934670\n
#include <stdarg.h>
int printf(const char *format, ...);

struct pair { int a; char b; };

static int sum(int count, ...)
{
    va_list list, again;
    int total = 0;
    va_start(list, count);
    va_copy(again, list);
    for (int i = 0; i < count; i++)
        total += va_arg(list, int);
    total += va_arg(again, int) * 1000;
    va_end(again);
    va_end(list);
    return total;
}

static long long mixed(const char *kinds, ...)
{
    va_list list;
    long long total = 0;
    va_start(list, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': total += va_arg(list, int); break;
        case 'l': total += va_arg(list, long long); break;
        case 's': total += va_arg(list, const char *)[0]; break;
        case 'p': total += va_arg(list, struct pair).a; break;
        }
    va_end(list);
    return total;
}

int main(void)
{
    struct pair p = { 7, 'x' };
    char c = 3;
    short s = -1;
    printf("%d %d ", sum(3, 1, 2, 3), sum(2, c, s));
    printf("%lld\n", mixed("ilspi", 1, 1ll << 33, "A", p, 5));
    return 0;
}
