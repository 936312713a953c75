// 9 8 6 0\n
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int __attribute__((noinline, const)) square(int x) { return x * x; }
static __attribute__((unused)) int never(void) { return 1; }
static inline __attribute__((always_inline)) int cube(int x) { return x * square(x); }
__attribute__((noreturn)) void __builtin_trap(void);

int main(void)
{
    int used __attribute__((unused)) = 3, wide __attribute__((aligned(32))) = 4;
    switch (used) {
    case 3:
        wide++;
        __attribute__((fallthrough));
    default:
        wide++;
    }
    printf("%d %d %d %d\n", square(used), cube(2), wide, (int)((__UINTPTR_TYPE__)&wide % 32));
    return 0;
}
