// 1020304 4020301 301 1 5 -251 4\n
int printf(const char *format, ...);

union number { int i; unsigned char bytes[4]; short half; };
struct tagged { int tag; union { int i; char c; long long l; } value; };

static union number swapped(union number n)
{
    unsigned char byte = n.bytes[0];
    n.bytes[0] = n.bytes[3];
    n.bytes[3] = byte;
    return n;
}

int main(void)
{
    union number n = { 0x01020304 }, m;
    struct tagged t = { 1, { .l = -1 } };
    m = swapped(n);
    t.value.c = 5;
    printf("%x %x %x %d ", n.i, m.i, m.half, m.bytes[0]);
    printf("%d %d %d\n", t.value.c, t.value.i, (int)sizeof(union number));
    return 0;
}
