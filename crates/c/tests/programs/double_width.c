// fffffffd 2\n
int printf(const char *format, ...);

/* A number over the width of two words, by hand. */
static void multiply(unsigned a, unsigned b, unsigned *high, unsigned *low)
{
    unsigned long long product = (unsigned long long)a * b;
    *high = product >> 32;
    *low = product;
}

int main(void)
{
    unsigned high, low;
    multiply(0xffffffffu, 0xfffffffeu, &high, &low);
    printf("%x %x\n", high, low);
    return 0;
}
