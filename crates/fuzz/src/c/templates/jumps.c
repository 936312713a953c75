static int jumps$@(int n) {
  int fuel = $[5,40], r = 0, x = 0;
again:
  if (fuel-- <= 0) goto done;
  switch (n++ % 5) {
    case 0: goto inside;
    case 1: while (r < 1000) { r += 3; if (r % 2) goto out; inside: r += 5; if (r % 3 == 0) goto again; }
    case 2: { int y; if (n & 1) goto skip; y = 1; skip: y = n; r += y; } break;
    case 3: if (r > $[10,99]) { goto then; } else { then: r -= 2; }
    default: for (x = 0; x < 3; x++) { if (x == 1) goto next; r++; next: ; }
  }
out:
  r ^= n;
  { $(|||||||||__label__ local$@;) if (r & 1) goto local$@; r++; local$@: r++; }
  goto again;
done:
  return r + x;
}
static int loops$@(int n) {
  int i = 0, j, r = 0;
outer: if (i >= n) goto end;
  j = 0;
inner: if (j >= i) { i++; goto outer; }
  r += i * j++; if (r > $[100,900]) goto end;
  goto inner;
end: return r;
}
static void gadget$@(void) { for (int i = 0; i < 6; i++) { show("jumps", jumps$@(i)); show("loops", loops$@(i * $[1,4])); } }
