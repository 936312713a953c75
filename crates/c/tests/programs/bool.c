// 1 1 0 1 1 2 -1 8 0\n
int printf(const char *format, ...);

static _Bool is_odd(int n) { return n & 1; }
static _Bool is_any(int n) { return n; }

int main(void)
{
    _Bool a = 256, b = 0.25, c = (void *)0, d = &a;
    int x = 7;
    a = a + a;
    printf("%d %d %d %d %d ", a, b, c, d, is_any(512));
    printf("%d %d %d ", is_odd(x) + is_odd(3), -a, (_Bool)x << 3);
    printf("%d\n", (a -= 1) + (b ^= 1));
    return 0;
}
