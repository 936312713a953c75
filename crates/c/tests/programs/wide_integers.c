// 1537228672809129301 -9223372036854775 eefcafebabedeadb -28672 555324 1 -889275714 b295b2eef140a504\n
int printf(const char *format, ...);

static unsigned long long rotate(unsigned long long x, int by)
{
    return x << by | x >> (64 - by);
}

int main(void)
{
    long long a = 1ll << 62, b = -9223372036854775807ll - 1;
    unsigned long long c = 0xdeadbeefcafebabeull;
    printf("%lld %lld %llx ", a / 3, b / 1000, rotate(c, 20));
    printf("%lld %llu %d ", (a >> 50) * -7, c % 1000003, b < a);
    printf("%lld %llx\n", (long long)(int)c, c * c);
    return 0;
}
