enum name$@ { ZERO$@, NEGATIVE$@ = -$[1,99], NEXT$@, BIG$@ = $(0x7fffffff|1000|'a'), LAST$@ = $(1 << 4|NEXT$@ + 3|sizeof(int)) };
enum big$@ { HUGE$@ = 0x$[1,7]$[10,99]00000000ll, SMALL$@ = $[0,9] };
struct item$@ { char name[6]; enum name$@ n; int list[4]; const char *text; struct { short a, b; } in[2]; };
static const struct item$@ items$@[] = {
  { "abc", NEGATIVE$@, { 1, [2] = 3 }, "text" },
  [3] = { .text = "w" "xyz" + $[0,3], .name = { 'q', 'r' }, .in[1] = { 5 }, .in[0].b = $[0,99], .n = NEXT$@ },
  [1] = { .list = { [0 ... 2] = $[0,50], [1] = -$[0,50] }, .in = { { .b = 2 }, 3 } },
  [1].n = LAST$@,
};
static int grid$@[][3] = { 1, 2, 3, 4, { $[0,9] }, [3] = { [1] = 7 }, };
static char lines$@[3][5] = { "one", { "two" }, [2] = "five" };
static const char *const words$@[] = { "", "a\0b", [3] = "\x41\102\n\t\\" };
static int *const pointers$@[2] = { &grid$@[1][2], grid$@[3] };
static void gadget$@(void) {
  show("count", sizeof items$@ / sizeof items$@[0] * 10 + sizeof grid$@ / sizeof(int));
  for (int i = 0; i < 4; i++) {
    const struct item$@ *p = &items$@[i];
    printf("%s %d %d %d %d %d %d %s\n", p->name, p->n, p->list[0], p->list[1], p->list[2], p->in[0].b, p->in[1].a, p->text ? p->text : "none");
  }
  for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++) add(grid$@[i][j]);
  show("lines", lines$@[2][4] * 1000 + lines$@[0][4] + strlen(lines$@[1]));
  show("words", sizeof "a\0bc" + strlen(words$@[1]) * 10 + strlen(words$@[3]) * 100 + (words$@[2] == 0));
  *pointers$@[0] += 5; show("pointers", grid$@[1][2] + pointers$@[1][1]);
  int local[5] = { [4] = $[0,9], [1] = 2, 3 }, flat[2][2][2] = { 1, 2, { 3 }, { { [1] = 4 }, 5 } };
  char string[] = "ab" "cd", cut[3] = "xyz", empty[4] = "";
  for (int i = 0; i < 8; i++) add((&flat[0][0][0] + 0, flat[i >> 2][i >> 1 & 1][i & 1]));
  show("local", local[0] + local[1] * 2 + local[2] * 3 + local[3] * 4 + local[4] * 5 + cut[2] + empty[3]);
  show("string", sizeof string + string[3]); show("enums", NEGATIVE$@ + NEXT$@ * 3ll + BIG$@ + LAST$@);
  show("big", HUGE$@ / 3 + SMALL$@); show("sizes", sizeof(enum big$@) + sizeof(enum name$@) * 16 + sizeof(SMALL$@));
  enum name$@ e = LAST$@; e++; show("e", e); show("signed", (enum name$@)-1 < 0); show("unsigned", -1 < (enum { A$@ })0);
}
