// 20 0 5 43 8 33\n
int printf(const char *format, ...);

struct point { int x, y; };

static int sum(struct point p, const int *numbers)
{
    return p.x + p.y + numbers[0] + numbers[2];
}

static struct point *global = &(struct point){ 7, 8 };

int main(void)
{
    int *p = (int[]){ 1, 2, 3 };
    struct point q = (struct point){ .y = 5 };
    int total = 0;
    p[1] = 20;
    for (int i = 0; i < 3; i++) {
        int *fresh = (int[2]){ i };
        fresh[1] += 10;
        total += fresh[0] + fresh[1];
    }
    printf("%d %d %d ", p[1], q.x, q.y);
    printf("%d %d %d\n", sum((struct point){ 1, 2 }, (int[3]){ 10, [2] = 30 }), global->y, total);
    return (struct point){ 3, 4 }.x - 3;
}
