static int sum$@(int n, int m, $T=(short|int|unsigned char|long) a[n][m]) { int r = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) r += a[i][j] * (i + 1); return r + (int)sizeof a[0]; }
static int first$@(int n, int a[static 1], int b[n]) { return a[0] + b[n - 1]; }
static void gadget$@(void) {
  int n = $[1,5], m = $[1,4];
  for (int k = 0; k < 3; k++) {
    $T a[n + k][m]; int side = 0, b[(side++, n)];
    for (int i = 0; i < n + k; i++) for (int j = 0; j < m; j++) a[i][j] = i * $[1,9] + j;
    for (int i = 0; i < n; i++) b[i] = i;
    $T (*row)[m] = a + 1, *cell = &a[0][m - 1];
    show("sum", sum$@(n + k, m, a)); show("sizes", sizeof a + sizeof b * 3 + sizeof *row); show("side", side + first$@(n, b, b));
    show("cell", *cell + (n + k > 1 ? row[0][0] : 0) + (int)(&a[n + k - 1] - a)); typedef int line[n]; line c; n++; show("typedef", sizeof(line) + sizeof c); n--;
    if (k == 1) { char z[m * 2]; memset(z, k, sizeof z); add(z[m]); continue; }
  }
  char *s = __builtin_alloca(n + 3); strcpy(s, "ab"); show("alloca", strlen(s) + s[1]);
}
