$!T=(#int)$!S=(#narrow)
struct bits$@ {
  $T a:$(1|1);
  signed b:$[1,31];
  unsigned c:$($[1,30]|32);
  $(|int :0;|unsigned :3;|char :0;)
  $S d:$[1,8];
  unsigned long long e:$($[1,30]|$[32,64]);
  long long f:$[1,64];
  $(_Bool g:1;|short g;|signed char g:$[2,8];)
  $(|long :0;)
  unsigned short h:$[1,16];
} $(|__attribute__((packed))|__attribute__((aligned(16))));
static struct bits$@ bits_global$@ = { 1, -1, $[0,9], $[0,9], $[0,99], -$[0,99], 1, $[0,99] };
static void gadget$@(void) {
  struct bits$@ x, *p = &x;
  memset(&x, 0, sizeof x);
  unsigned char *bytes = (unsigned char *)&x;
  x.a = $[0,5]; x.b = -$[0,70]; x.c = $[0,100000]u; x.d = $[0,300]; x.e = $[0,1000000000]ull * 12345;
  p->f = -$[0,1000000000]ll; p->g = $[0,3]; p->h = $[0,70000];
  for (int i = 0; i < $[1,5]; i++) {
    x.a++; $(x.c++|++x.c|x.c--|x.c += x.h|x.c = (unsigned)x.c << 3|x.c ^= ~x.e); x.d $(+=|-=|^=|*=) $[1,9];
    p->h $(++|--); x.e $(+=|*=|-=) $[1,99]u; $(x.e >>= 1|x.e = ~x.e|x.e = -x.e|x.e = x.c);
    p->g = !p->g; x.b = x.b $(^|&) $[0,99]; x.f = x.f $(/|%) $[2,9];
    add(x.b = $(x.h|x.d|x.e + 1u|x.c)); add(x.c = -$[1,5]); add(x.e++); add(--x.h);
  }
  show("b", x.b); show("c", x.c); show("d", x.d); show("f", x.f); show("g", x.g); show("h", x.h);
  printf("e = %llu %d %d\n", (unsigned long long)x.e, x.e + 1u > 0, x.e - 1 < x.e);
  printf("%d %d %d\n", x.b < x.c, x.c - 1 < 0, (int)sizeof x);
  for (unsigned i = 0; i < sizeof x; i++) printf("%02x", bytes[i]);
  struct bits$@ y = x, z[2] = { [1] = x };
  y.b = 0; z[1].h++;
  printf("\n%d %d %d %d\n", y.h == x.h, z[0].b, z[1].h, z[1].b == x.b);
  bits_global$@.e -= $[0,200]; bits_global$@.b ^= 1;
  printf("%d %llu %lld\n", bits_global$@.b, (unsigned long long)bits_global$@.e, (long long)bits_global$@.f);
}
