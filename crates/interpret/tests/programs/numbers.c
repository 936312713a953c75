// Types of literals, promotions, the usual arithmetic conversions, conversions by assignment and by cast.
#include <stdio.h>

enum huge { HUGE_VALUE = 0x80000000u, SMALL = 1 };
enum signed_one { NEGATIVE = -1 };
enum plain { ZERO, FIRST };

static long mixed(int i, unsigned u, long l, unsigned char c, short s) {
    return (i + u > 0) + (l - c) * s + (c << 4) - (s >> 1) + (i < u) + (-1 > 1u) + (c - 300 < 0);
}

int main(void) {
    printf("%d %d %d\n", (int)sizeof 2147483648, (int)sizeof 0x80000000, (int)sizeof 4294967296);
    printf("%d %d %d\n", (int)sizeof(1 ? 1 : 1LL), (int)sizeof 'a', (int)sizeof(1 << 1L));
    printf("%d %d %d\n", (int)sizeof(enum huge), (enum signed_one)-1 < 0, (enum plain)-1 > 0);
    printf("%d %d\n", (int)sizeof HUGE_VALUE, -1 < (enum plain)1);
    printf("%ld %ld\n", mixed(-5, 3, 1000, 250, -3), mixed(1, 0, -1, 0, 1));
    printf("%d %d %u %d\n", -7 / 2, -7 % 2, 7u - 8u, -1 < 1u);
    printf("%d %d\n", (0 ? -1 : 0u) - 1 > 0, (short)40000 + (unsigned char)300 + (char)200);
    printf("%lld %lld %llu\n", (long long)(int)0x80000000, (long long)0x80000000, (unsigned long long)-1);
    signed char s = -128;
    s = -s;
    unsigned char u = 0;
    u--;
    unsigned short w = 65535;
    w *= 3u;
    printf("%d %d %d %d\n", s, u, w, u << 1);
    unsigned all = -1;
    long long shifted = all;
    shifted <<= 8;
    printf("%lld %d %u\n", shifted, (int)(unsigned char)shifted, (unsigned)shifted >> 4);
    _Bool b = 256;
    b += 3;
    printf("%d %d %d\n", b, (_Bool)0.1, !!5 + !0);
    double d = 1e10;
    float f = 16777217;
    printf("%d %g %g %lld %g\n", (int)(d / 1e9), d * 0.5f, -d, (long long)d, f);
    printf("%d %d %g\n", 0.1f == 0.1, (int)3.99 + (int)-3.99, (double)0.1f);
    unsigned long long greatest = 18446744073709551615ULL;
    printf("%g %llu\n", (double)greatest, (unsigned long long)1e19);
    printf("%d %d %d\n", '\377', 'ab', (int)sizeof(L"ab") / (int)sizeof(L'a'));
    printf("%d %d\n", 5 & 6 | 1 ^ 8, ~0u >> 31 == 1);
    return 0;
}
