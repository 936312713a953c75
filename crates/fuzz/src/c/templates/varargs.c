struct thing$@ { int a; long b; };
static long long total$@(const char *kinds, ...) {
  va_list list; long long sum = 0; va_start(list, kinds);
  for (; *kinds; kinds++) switch (*kinds) {
    case 'i': sum += va_arg(list, int); break; case 'u': sum += va_arg(list, unsigned); break; case 'l': sum += va_arg(list, long); break;
    case 'q': sum += va_arg(list, long long); break; case 'p': sum += *va_arg(list, int *); break; case 'd': sum += (long long)(va_arg(list, double) * 4); break;
    case 's': sum += strlen(va_arg(list, const char *)); break; case 't': { struct thing$@ *t = va_arg(list, struct thing$@ *); sum += t->a * t->b; t->a++; break; }
    case 'f': sum += va_arg(list, int (*)(int))($[1,9]); break;
  }
  va_end(list); return sum;
}
static int inner$@(int n, va_list list) { int sum = 0; while (n--) sum = sum * 2 + va_arg(list, int); return sum; }
static int outer$@(int n, ...) { va_list list; va_start(list, n); int r = inner$@(n, list); va_end(list); return r; }
static int copied$@(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); int r = va_arg(a, int); for (int i = 0; i < n; i++) r = r * 3 + va_arg(b, int); va_end(b); va_end(a); return r; }
static int square$@(int n) { return n * n; }
static void gadget$@(void) {
  int x = $[0,99]; struct thing$@ t = { $[0,9], -$[0,9] }; signed char c = -$[0,100]; unsigned short s = $[0,60000]; _Bool b = 1; float f = 0.25f * $[0,9];
  show("total", total$@("iuqlp", x, 4000000000u, -$[0,9]ll, (long)-x, &x)); show("promoted", total$@("iiid", c, s, b, f)); show("mixed", total$@("didsqtqf", -1.5, c, 2.25, "four", 1ll << 40, &t, 7ll, square$@));
  show("outer", outer$@($[1,5], 1, 2, 3, 4, 5)); show("copied", copied$@($[1,4], 4, 3, 2, 1)); show("many", total$@("qqqqqqqqiiiidddddddddd", 1ll, 2ll, 3ll, 4ll, 5ll, 6ll, 7ll, 8ll, 1, 2, 3, 4, .5, 1., 1.5, 2., 2.5, 3., 3.5, 4., 4.5, 5.)); show("t", t.a);
  printf("%d %u %5d|%-5d|%05d %x %X %#o %c %% %s %.2s %ld %lu %lld %p\n", x, s, x, x, x, s, s, x, 'a' + x % 26, "str", "cut", (long)x, (unsigned long)s, -5ll, (void *)0);
  printf("%hhd %hd %hhu %+d % d %*d %.*s %zu %i\n", c, (short)70000, (unsigned char)300, x, x, 6, x, 2, "abc", sizeof t, -x);
}
