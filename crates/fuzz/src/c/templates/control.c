static int duff$@(char *to, const char *from, int count) {
  int n = (count + $k=(3|7)) / ($k + 1), rounds = 0;
  switch (count % ($k + 1)) {
    case 0: do { *to++ = *from++; rounds++; $(|case 7: *to++ = *from++;)
    case 6: *to++ = *from++;
    case 5: *to++ = *from++; $(default: |)
    case 4: *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
    } while (--n > 0);
  }
  return rounds;
}
static int kinds$@($T=(#int) v) {
  int r = 0;
  for (int i = 0; ; i++) {
    switch (v + i) {
      default: r += 100; if (i > 3) return r; continue;
      case -3 ... -1: r -= 1;
      case 0: r += 2; break;
      case 1: { int v = 5; r += v; } /* falls through */
      case 2: case 3: if (r & 1) break; r += 3;
      { case 4: r *= 2; continue; case 5: r += 7; }
      case 'a' ... 'c': r++; while (1) { if (r++ > 9) break; else continue; } break;
    }
    if (i > $[1,5]) break;
  }
  return r;
}
static int empty$@(int n) { int r = 1; switch (n) ; switch (n) case 3: r = 4; switch (n) { } switch (n) { r = 9; case 1: r += 1; } switch ((char)n) { case 1: return r; default: return -r; } }
static void gadget$@(void) {
  char from[64], to[64] = { 0 };
  for (int i = 0; i < 64; i++) from[i] = i + $[0,9];
  for (int n = 8; n < 24; n += 5) { show("duff", duff$@(to, from, n)); for (int i = 0; i < 64; i++) add(to[i]); }
  for (int i = -5; i < 8; i++) show("kinds", kinds$@(i));
  show("kinds", kinds$@('a') + empty$@(1) * 2 + empty$@(3) * 3 + empty$@(257) * 5);
  unsigned long long big = $[1,3]ull << 32; switch (big) { case 1ull << 32: show("big", 1); break; case 0: show("big", 0); break; case 0x200000000: show("big", 2); default: show("big", 3); }
  int i = 0; for (; ; ) { if (++i > 3) break; } do i += 2; while (i < 20); while (i-- > 5) ; for (int i = 0, *p = &i; *p < 3; ++*p) add(i); show("i", i);
  for (int i = 0, j = 10; i < j; i++, j--) { if (i == $[0,4]) continue; add(i * j); int i = 7; add(i); }
  do { if (i < 100) continue; i++; } while (i++ < $[10,30]); show("i", i); if (i) if (i > 1000) show("then", 1); else show("else", 2);
}
