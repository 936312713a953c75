// The types of bit-fields: gcc computes in as many bits as a field has, after the promotions.
#include <stdio.h>

enum kind { NONE, ONE, TWO };
struct bits {
    enum kind kind : 2;
    unsigned char small : 4;
    long long wide : 33;
    unsigned long long forty : 40;
    unsigned almost : 31, full : 32;
    _Bool truth : 1;
    signed char sign : 1;
} b;

int main(void) {
    b.kind = TWO;
    b.small = 17;
    b.wide = -1;
    b.almost = -1;
    b.full = -1;
    b.truth = 4;
    b.sign = 1;
    printf("%d %d %lld %d %d\n", b.kind, b.small, (long long)b.wide, b.truth, b.sign);
    printf("%d %d\n", b.almost > -1, b.full > -1);
    printf("%d %u\n", b.almost - 0x7fffffff - 1 < 0, b.full + 1);
    b.forty = 0xFFFFFFFFFFULL;
    printf("%llx %llx\n", (unsigned long long)(b.forty << 8), (unsigned long long)(b.forty + 1));
    int before = (b.small = 20), after = b.small++;
    printf("%d %d\n", before, after);
    b.small = ~b.small;
    b.kind++;
    b.kind += 3;
    b.truth--;
    b.truth--;
    printf("%d %d %d\n", b.small, b.kind, b.truth);
    b.wide = 1LL << 32;
    b.forty *= 3;
    printf("%lld %llx\n", (long long)b.wide, (unsigned long long)b.forty);
    return 0;
}
