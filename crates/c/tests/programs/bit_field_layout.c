// 011e00000300000004000000 a5ff000007000000 12 8 8 8 5 2\n
int printf(const char *format, ...);
void *memset(void *, int, __SIZE_TYPE__);

struct first { char a; int b : 5; int c : 30; char d; };
struct second { char a : 4; short b : 12; int c; };
struct third { unsigned a : 31, b : 1, c : 1; };
struct fourth { long long a : 33; int b : 3; char c; };
struct fifth { char a; int : 0; char b; };
struct sixth { int : 7; char b; };

static void show(const void *object, int size)
{
    const unsigned char *bytes = object;
    for (int i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    printf(" ");
}

int main(void)
{
    struct first f;
    struct second s;
    memset(&f, 0, sizeof f);
    memset(&s, 0, sizeof s);
    f.a = 1, f.b = -2, f.c = 3, f.d = 4;
    s.a = 5, s.b = -6, s.c = 7;
    show(&f, sizeof f);
    show(&s, sizeof s);
    printf("%d %d %d ", (int)sizeof f, (int)sizeof s, (int)sizeof(struct third));
    printf("%d %d %d\n", (int)sizeof(struct fourth), (int)sizeof(struct fifth), (int)sizeof(struct sixth));
    return 0;
}
