// 5 af aa 5a ffffffffffffff00 6 -1 1\n
int printf(const char *format, ...);

int main(void)
{
    unsigned a = 0xa5, b = 0x0f;
    long long mask = ~0xffll;
    int i = -2;
    printf("%x %x %x %x ", a & b, a | b, a ^ b, ~a & 0xff);
    printf("%llx %d %d %d\n", mask, i & 7, i | 1, !i ^ 1);
    return 0;
}
