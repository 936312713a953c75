// 7 5 16909061 8 14 6 8 32 16\n
#include <stddef.h>
int printf(const char *format, ...);

struct __attribute__((packed)) tight { char a; int b; short c; };
struct partly { char a; int b __attribute__((packed)); short c; };
#pragma pack(push, 2)
struct limited { char a; int b; long long c; };
#pragma pack(pop)
struct usual { char a; int b; };
struct wide { char a; char b __attribute__((aligned(16))); };
typedef int aligned_int __attribute__((aligned(8)));
struct holds { char a; aligned_int b; };

int main(void)
{
    struct tight t = { 1, 0x01020304, 5 };
    t.b++;
    printf("%d %d %d ", (int)sizeof(struct tight), (int)offsetof(struct tight, c), t.b);
    printf("%d %d %d ", (int)sizeof(struct partly), (int)sizeof(struct limited), (int)offsetof(struct limited, c));
    printf("%d %d %d\n", (int)sizeof(struct usual), (int)sizeof(struct wide), (int)sizeof(struct holds));
    return 0;
}
