// 8 6 4\n
int printf(const char *format, ...);

int visible = 3;
static int hidden[2] = { 4, 5 };
static int use(void);
extern int visible;
int forward(int);

int main(void)
{
    int forward(int);
    printf("%d ", use());
    printf("%d %d\n", forward(2), visible);
    return 0;
}

static int use(void) { return hidden[1] + visible++; }
int forward(int n) { return n + hidden[0]; }
