// 3 8 12 main\n
int printf(const char *format, ...);

static inline int add(int a, int b) { return a + b; }
inline int twice(int a) { return a + a; }
extern inline int twice(int a);
static __inline__ int count(void) { static int n; return ++n; }

int main(void)
{
    int a = count(), b = count();
    printf("%d %d %d %s\n", add(1, 2), twice(4), a * 10 + b, __func__);
    return 0;
}
