// 1\n77\n3\n
int printf(const char *, ...);
struct { _Bool b:1; unsigned long long w:40; unsigned n:5; } s = {1, 77, 3};
int main(void) { printf("%d\n", (int)(s.b ?: 5)); printf("%llu\n", (s.w ?: 5ull) + 0ull); printf("%d\n", s.n ?: 6); return 0; }
