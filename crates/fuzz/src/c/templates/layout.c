struct plain$@ { char a; $T=(#int) b; char c; $U=(double|long long|void *|short|long) *d; long long e; };
struct packed$@ { char a; $T b; short c; long long e; } __attribute__((packed));
struct aligned$@ { char a; int b __attribute__((aligned($A=(8|16|32)))); char c; } ;
struct fields$@ { char a; int b:$[1,20]; short c; unsigned long long d:$[1,40]; char e:$[1,7]; int :0; char f; };
union sizes$@ { char a[$[1,13]]; $T b; short c; struct packed$@ p; };
typedef int aligned_int$@ __attribute__((aligned(16)));
struct outer$@ { char x; struct packed$@ p; struct aligned$@ q; union sizes$@ u; };
static void gadget$@(void) {
  show("plain", sizeof(struct plain$@) * 100 + _Alignof(struct plain$@)); show("packed", sizeof(struct packed$@) * 100 + _Alignof(struct packed$@)); show("aligned", sizeof(struct aligned$@) * 100 + _Alignof(struct aligned$@));
  show("fields", sizeof(struct fields$@) * 100 + _Alignof(struct fields$@) + offsetof(struct fields$@, c) * 10000 + offsetof(struct fields$@, f) * 1000000); show("union", sizeof(union sizes$@) * 100 + _Alignof(union sizes$@));
  show("outer", sizeof(struct outer$@) * 100 + _Alignof(struct outer$@)); show("offsets", offsetof(struct plain$@, b) + offsetof(struct plain$@, c) * 10 + offsetof(struct plain$@, d) * 100 + offsetof(struct plain$@, e) * 10000);
  show("offsets", offsetof(struct outer$@, p.c) + offsetof(struct outer$@, q) * 100 + offsetof(struct outer$@, u.p.e) * 10000 + offsetof(struct aligned$@, b)); show("types", sizeof(long) + sizeof(void *) * 10 + _Alignof(long long) * 100 + _Alignof(double) * 1000 + sizeof(_Bool) * 10000);
  show("expressions", sizeof('a') + sizeof(1L) * 10 + sizeof(1.f) * 100 + sizeof((char)1 + (char)1) * 1000 + sizeof("abc") * 10000 + sizeof(1 ? (short)1 : (char)1) * 100000); int n = 3; show("unevaluated", sizeof(n++) + n + sizeof n + sizeof(int[3][2]));
  struct packed$@ p = { 1, 1, 3, 4 }; unsigned char *c = (unsigned char *)&p; long long sum = 0; for (unsigned i = 0; i < sizeof p; i++) sum = sum * 3 + c[i]; show("bytes", sum); p.e -= $[0,99]; p.c++; show("e", p.e + p.c); aligned_int$@ w = 5; show("w", w + sizeof w + _Alignof(aligned_int$@));
  struct outer$@ o = { .p = { .e = -$[1,9] }, .u.p.c = $[0,99] }; o.u.p.e = o.p.e--; show("o", o.p.e * 1000 + o.u.p.c + o.u.p.e); _Alignas(32) char buffer[3]; show("buffer", sizeof buffer + _Alignof(struct { short s; char c[3]; }));
}
