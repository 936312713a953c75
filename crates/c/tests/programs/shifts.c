// -4 15 3758096384 33024 10000000000 f 134217728\n
int printf(const char *format, ...);

int main(void)
{
    int negative = -16;
    unsigned u = 0xf0000000u;
    unsigned char small = 0x81;
    unsigned long long wide = 1;
    printf("%d %u %u %d ", negative >> 2, u >> 28, u << 1, small << 8);
    printf("%llx %llx %d\n", wide << 40, ~wide >> 60, 1 << 30 >> 3);
    return 0;
}
