// printf with flags, widths and precisions; puts and putchar.
#include <stdio.h>

int main(void) {
    int n = printf("[%5d|%-5d|%05d|%+d|% d]\n", 42, 42, -42, 42, 42);
    printf("%d [%x %X %#x %o %#o %u]\n", n, 255, 255, 255, 8, 8, -1);
    printf("[%c%c%%] [%s] [%10s] [%-10s] [%.2s] [%*d] [%.*d]\n", 'a', 66, "text", "text", "text", "text", 6, 7, 4, 9);
    printf("%hhd %hd %ld %lld %llu %lx %zu\n", (char)300, (short)70000, 5L, -5LL, ~0ULL, 255UL, sizeof(int));
    printf("%f %.3f %e %g %g %g %10.2f|%-10.1f|\n", 1.5, 2.0 / 3, 12345.678, 1e-5, 100000.0, 1e6, -1.005, 2.25);
    puts("line");
    putchar('x');
    putchar('\n');
    return 3;
}
