// 1 2 3 4 9 k 77 8 1\n
int printf(const char *format, ...);

struct event {
    int kind;
    union {
        struct { int x, y; };
        struct { char key; short code; };
        long long raw;
    };
    struct { int last; };
};

int main(void)
{
    struct event e = { 1, { { 2, 3 } }, { 4 } };
    struct event f = { .kind = 9, .key = 'k', .code = 77, .last = 8 };
    printf("%d %d %d %d ", e.kind, e.x, e.y, e.last);
    printf("%d %c %d %d %d\n", f.kind, f.key, f.code, f.last, &e.x == (int *)&e.raw);
    return 0;
}
