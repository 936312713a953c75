// 9050660120 203box 3404 3405ab 4\n
int printf(const char *format, ...);

struct point { int x, y, z; };
struct shape { int kind; struct point at[3]; char name[8]; };

static int sparse[10] = { [2] = 5, [7] = 1, 2, [0] = 9, [4 ... 5] = 6 };
static struct shape global = { .name = "box", .at[1].y = 4, .at = { [2] = { 1, .z = 3 } }, .kind = 2 };
static int partly[2][3] = { 1, 2, 3, 4 };
static struct point old = { z: 3, x: 1 };

int main(void)
{
    struct shape s = { 1, { 1, 2, 3, { 4 }, 5 }, { 'a', 'b' } };
    int last[] = { [3] = 1, [1] = 2 };
    for (int i = 0; i < 10; i++)
        printf("%d", sparse[i]);
    printf(" %d%d%d%s ", global.kind, global.at[1].y, global.at[2].z, global.name);
    printf("%d%d%d%d ", partly[0][2], partly[1][0], partly[1][1], old.x + old.y + old.z);
    printf("%d%d%d%d%s %d\n", s.at[0].z, s.at[1].x, s.at[1].y, s.at[2].x, s.name, (int)(sizeof last / sizeof *last));
    return 0;
}
