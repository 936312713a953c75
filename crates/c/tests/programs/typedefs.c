// 255 510 1 13 8 4 45\n
int printf(const char *format, ...);

typedef unsigned char byte, bytes[4], *pointer;
typedef int function(byte);
typedef function *functions[2];
typedef struct list list;
struct list { int value; list *next; };
typedef int T;

static function twice;
static int twice(byte b) { return b * 2; }
static int shadow(T T) { return T * (T) + sizeof(T); }

struct holds { T T; };

int main(void)
{
    bytes b = { 1, 2, 255 };
    pointer p = b;
    functions f = { twice, 0 };
    list a = { 1, 0 }, c = { 2, &a };
    struct holds h = { 8 };
    T (y) = 3, *z = &y;
    printf("%d %d %d %d %d ", p[2], f[0](b[2]), c.next->value, shadow(3), h.T);
    {
        int T = 5;
        printf("%d %d\n", (T) - 1, y * (T) * *z);
    }
    return 0;
}
