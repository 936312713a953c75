// 7 -8 1 4095 1 ffffffffff 1 7 0 904 1 0 1 1\n
int printf(const char *format, ...);

struct flags {
    unsigned a : 3;
    signed b : 4;
    unsigned c : 1;
    int : 0;
    unsigned d : 12;
    _Bool e : 1;
    unsigned long long f : 40;
};

int main(void)
{
    struct flags s = { 7, -8, 1, 4095, 1, 0xffffffffffull };
    printf("%d %d %d %d %d %llx ", s.a, s.b, s.c, s.d, s.e, (unsigned long long)s.f);
    s.a += 2;
    s.b--;
    s.c++;
    s.d = 5000;
    s.e = 4;
    s.f++;
    printf("%d %d %d %d %d %llx ", s.a, s.b, s.c, s.d, s.e, (unsigned long long)s.f);
    printf("%d ", s.a - 2 < 0);
    printf("%d\n", (s.a = 9));
    return 0;
}
