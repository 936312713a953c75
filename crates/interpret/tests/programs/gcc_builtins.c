// gcc's builtin functions that count and swap bits.
#include <stdio.h>

int main(void) {
    unsigned x = 0x12345678;
    unsigned long long y = 0x123456789abcdef0ULL;
    printf("%d %d %d\n", __builtin_popcount(x), __builtin_popcountll(y), __builtin_parity(7));
    printf("%d %d %d\n", __builtin_ctz(x), __builtin_clz(x), __builtin_clzll(y >> 8));
    printf("%d %d %d\n", __builtin_clzl(1) == (int)sizeof(long) * 8 - 1, __builtin_ffs(8), __builtin_ffs(0));
    printf("%x %llx %x\n", __builtin_bswap32(x), (unsigned long long)__builtin_bswap64(y), __builtin_bswap16(0x1234));
    char buffer[8];
    __builtin_memset(buffer, 65, 7);
    buffer[7] = 0;
    printf("%s %d\n", buffer, (int)__builtin_strlen(buffer));
    return __builtin_constant_p(3) + __builtin_expect(x > 3, 1) + (int)__builtin_offsetof(struct { char c; short s; }, s);
}
