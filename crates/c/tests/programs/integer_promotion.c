// 300 -100 -201 -65535 1 131070 -32769 44 -56 -1\n
int printf(const char *format, ...);

/* Small types become `int` before anything is done with them. */
int main(void)
{
    unsigned char a = 200, b = 100;
    signed char c = -1;
    unsigned short d = 65535;
    short e = -32768;
    printf("%d %d %d %d ", a + b, a - b - b - b, ~a, -d);
    printf("%d %d %d ", c < a, d * 2, e - 1);
    printf("%d %d %d\n", (unsigned char)(a + b), (signed char)a, (short)d);
    return 0;
}
