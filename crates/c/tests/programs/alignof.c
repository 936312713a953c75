// 4 8 2 8 16 1 0 1\n
int printf(const char *format, ...);

static _Alignas(16) char buffer[3];
struct aligned { _Alignas(8) char a; char b; };
union both { char c; short s; };

int main(void)
{
    _Alignas(double) char local = 1;
    printf("%d %d %d ", (int)_Alignof(int), (int)_Alignof(struct aligned), (int)_Alignof(union both));
    printf("%d %d %d ", (int)sizeof(struct aligned), (int)__alignof__(buffer), (int)_Alignof(char[7]));
    printf("%d %d\n", (int)((__UINTPTR_TYPE__)buffer % 16), local);
    return 0;
}
