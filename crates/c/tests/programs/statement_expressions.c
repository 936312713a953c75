// 8 7 6 3 5 9\n
int printf(const char *format, ...);

#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })

struct pair { int a, b; };

int main(void)
{
    int n = 3;
    int x = ({ int y = n * 2; y += 1; y; });
    int z = MAX(MAX(x++, 5), MAX(n, 2));
    int total = 0;
    for (int i = 0; ({ total += i; i < 3; }); i++)
        ;
    struct pair p = ({ struct pair q = { 1, n }; q; });
    int found = ({ int r = 0; while (1) { if (++r > 4) break; } r; });
    printf("%d %d %d %d %d %d\n", x, z, total, p.b, found, ({ if (n) n = 9; n; }));
    return 0;
}
