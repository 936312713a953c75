// -m32: 0 0 1 0 1 4 8\n; -m64: 0 1 1 0 1 8 8\n
int printf(const char *format, ...);

/* The operand of lower rank gets the type of the other one; where the ranks are the same, unsigned wins. */
int main(void)
{
    int negative = -1;
    unsigned one = 1;
    long wide = -1;
    unsigned long long widest = 1;
    printf("%d %d %d ", negative < one, wide < one, negative < (long long)one);
    printf("%d %d ", negative < widest, wide == widest - 2);
    printf("%d %d\n", (int)sizeof(one + wide), (int)sizeof(one + 1ll));
    return 0;
}
