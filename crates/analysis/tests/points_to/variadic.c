// Further arguments of a call.
//= got -> x, y
#include <stdarg.h>
int x, y, *got;

void take(int count, ...) {
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        got = va_arg(list, int *);
    va_end(list);
}

int main(void) {
    take(2, &x, &y);
    return *got;
}
