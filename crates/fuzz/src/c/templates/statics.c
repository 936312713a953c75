static int next$@(void) { static int count = $[0,100]; static $T=(#int) wide = $[0,3]; wide = !wide; return ++count + wide; }
static int *place$@(int which) { static int cells[3] = { $[0,9], [2] = $[0,9] }; return &cells[which]; }
static unsigned depth$@(unsigned n) { static unsigned most; if (n > most) most = n; return n ? depth$@(n - 1) + most : 0; }
static const char *label$@(int n) { static const char *const all[] = { "zero", "one", "many" }; return all[n < 2 ? n : 2]; }
static void gadget$@(void) {
  int sum = 0;
  for (int i = 0; i < $[1,9]; i++) { static int inner = $[0,9]; sum += inner++ * next$@(); { static int inner = 1; sum += inner++; } }
  show("sum", sum); *place$@($[0,2]) += 3; ++*place$@(1); place$@(0)[2]--; show("place", *place$@(0) + *place$@(1) * 10 + *place$@(2) * 100);
  show("depth", depth$@($[1,20])); printf("%s %s %s\n", label$@(0), label$@(1), label$@($[0,5]) + 1);
}
