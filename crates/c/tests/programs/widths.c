// -m32: 1 2 4 4 8 4 1 4 4\n; -m64: 1 2 4 8 8 8 1 4 8\n
int printf(const char *format, ...);

int main(void)
{
    printf("%d %d %d %d ", (int)sizeof(char), (int)sizeof(short), (int)sizeof(int), (int)sizeof(long));
    printf("%d %d %d ", (int)sizeof(long long), (int)sizeof(void *), (int)sizeof(_Bool));
    printf("%d %d\n", (int)sizeof 'a', (int)sizeof(0x7fffffff + 1l));
    return 0;
}
