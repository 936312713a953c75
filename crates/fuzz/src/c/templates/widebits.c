struct wide$@ { unsigned long long a:$w=($[33,63]); long long b:$v=($[33,63]); unsigned c:$[1,30]; $(unsigned|int|unsigned short) d:$[1,15]; };
static void gadget$@(void) {
  struct wide$@ x = { $[0,1000000]ull << 20, -$[0,1000000]ll, $[0,500], $[0,100] };
  printf("%d\n", (int)((x.a << $[1,30]) >> $[1,20] & 0xffff));
  printf("%d %d\n", x.a - 1 > x.a, (x.a | 1) * -1 > 5);
  unsigned long long sum = x.a + $[1,9], product = x.a * $[1,99], negative = -x.a, not = ~x.a;
  printf("%llu %llu %llu %llu\n", sum, product, negative, not);
  printf("%lld %lld %d\n", (long long)(x.b / 3), (long long)(x.b >> 2), x.b < x.c);
  x.a -= $[1,100000]; x.b += $[1,1000]; x.c -= 1; x.d += x.c & 0xffff; x.a ^= x.b;
  printf("%llu %lld %u %d\n", (unsigned long long)x.a, (long long)x.b, x.c, x.d);
  printf("%d %d %d\n", x.c > -1, x.d > -1, (x.a & 1 ? x.c : x.d) > -1);
}
