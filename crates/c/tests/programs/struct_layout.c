// -m32: 28 4 12 24 16 12 14 0 4 4 4\n; -m64: 40 4 16 32 16 12 14 0 4 8 8\n
#include <stddef.h>
int printf(const char *format, ...);

struct plain { char a; int b; char c; long long d; short e; void *f; };
struct nested { char a; struct { short b; char c; } d[3]; char e; };
struct empty { };
struct ends { int n; char rest[]; };

int main(void)
{
    printf("%d %d %d %d ", (int)sizeof(struct plain), (int)offsetof(struct plain, b), (int)offsetof(struct plain, d),
           (int)offsetof(struct plain, f));
    printf("%d %d %d ", (int)sizeof(struct nested), (int)offsetof(struct nested, d[2].c),
           (int)offsetof(struct nested, e));
    printf("%d %d %d %d\n", (int)sizeof(struct empty), (int)sizeof(struct ends), (int)_Alignof(struct plain),
           (int)_Alignof(long long));
    return 0;
}
