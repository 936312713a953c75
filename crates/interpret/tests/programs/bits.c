// Fields with bits of their own: signed and not, across bytes, in unions, with operators that assign.
#include <stdio.h>

struct bits { int a : 3; unsigned b : 13; long long c : 40; unsigned char d : 1; signed e : 20; };
union mixed { struct { unsigned low : 4, high : 28; } parts; unsigned whole; };

int main(void) {
    struct bits s = {0};
    s.a = 5;
    s.b = 0x1fff;
    s.b++;
    s.c = -(1LL << 38);
    s.c--;
    s.d = 3;
    s.e -= 1;
    printf("%d %d %lld %d %d %d\n", s.a, s.b, (long long)s.c, s.d, s.e, (int)sizeof s);
    union mixed u;
    u.whole = 0x12345678;
    u.parts.low = 15;
    u.parts.high >>= 4;
    printf("%x %d\n", u.whole, u.parts.low + 1 > -1);
    struct bits t = s;
    printf("%d\n", (t.a = 7) + (t.e *= 3));
    return 0;
}
