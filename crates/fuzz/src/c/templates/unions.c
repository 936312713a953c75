union pun$@ {
  unsigned char bytes[8];
  unsigned long long all;
  struct { unsigned low, high; } halves;
  struct { unsigned a:$a=($[1,31]), :$[1,20], b:$[1,12]; signed c:$[1,32]; } fields;
  $(short|unsigned short|int) shorts[2];
  double number;
  struct { union { int x; unsigned char y[4]; }; short z, w; };
};
static union pun$@ pun_global$@ = { .all = $[0,1000000]ull * $[0,1000000] };
static union pun$@ twice$@(union pun$@ u, int by) { u.all *= by; u.bytes[by & 7] ^= 0x$[1,9]f; return u; }
static void gadget$@(void) {
  union pun$@ u = { .bytes = { $[0,255], $[0,255], [5] = $[0,255], $[0,255] } }, v;
  u.halves.high += $[0,100000]u; u.fields.c = -$[0,9]; u.fields.b++;
  show("all", (long long)u.all);
  v = u; v.x = -$[1,1000]; v.z ^= v.w; v.y[$[0,3]] = $[0,255];
  show("v", (long long)v.all); show("low", v.halves.low); show("c", v.fields.c); show("b", v.fields.b);
  show("shorts", v.shorts[0] * 3ll - v.shorts[1]);
  show("twice", (long long)twice$@(v, $[1,99]).all); show("member", twice$@(pun_global$@, $[1,9]).halves.high);
  u.number = $[-9,9] * 0.25; show("double", (long long)u.all); show("byte", u.bytes[7]);
  u.all = 0x40$[1,9]8000000000000ull; printf("%f\n", u.number);
  unsigned *words = &v.halves.low; words[0] ^= words[1]; show("words", (long long)v.all);
  int same = memcmp(&v, &u, sizeof u); show("same", same < 0 ? -1 : same > 0);
}
