// 40490f00 3f800000 4321\n
int printf(const char *format, ...);
void *memcpy(void *, const void *, __SIZE_TYPE__);

union bits { float f; unsigned u; unsigned char c[4]; };

int main(void)
{
    union bits b = { .u = 0x40490fdb };
    unsigned u;
    int n = 0x01020304;
    unsigned char bytes[4];
    float f = 1.0f;
    memcpy(&u, &f, sizeof u);
    memcpy(bytes, &n, 4);
    b.c[0] = 0;
    printf("%x %x %d%d%d%d\n", b.u, u, bytes[0], bytes[1], bytes[2], bytes[3]);
    return 0;
}
