// va_list: arguments of all sizes, a list that is passed on, and one that is copied.
#include <stdarg.h>
#include <stdio.h>

struct pair { int a; long long b; };

static long long sum(int count, va_list list) {
    long long total = 0;
    while (count-- > 0) total += va_arg(list, int);
    return total;
}

static long long mixed(const char *kinds, ...) {
    va_list list, copy;
    va_start(list, kinds);
    long long total = 0;
    for (const char *kind = kinds; *kind; kind++) {
        switch (*kind) {
        case 'i': total += va_arg(list, int); break;
        case 'l': total += va_arg(list, long); break;
        case 'q': total += va_arg(list, long long); break;
        case 'd': total += (long long)(va_arg(list, double) * 4); break;
        case 'p': total += *va_arg(list, int *); break;
        case 's': { struct pair p = va_arg(list, struct pair); total += p.a + p.b; break; }
        case 'c': va_copy(copy, list); total += 1000 * sum(2, copy); va_end(copy); break;
        }
    }
    va_end(list);
    return total;
}

int main(void) {
    int x = 5;
    struct pair p = {3, 1LL << 40};
    printf("%lld\n", mixed("ilqdp", 1, 2L, 3LL, 2.5, &x));
    printf("%lld\n", mixed("sici", p, -1, 10, 20));
    printf("%lld\n", mixed(""));
    return (int)mixed("i", 17);
}
