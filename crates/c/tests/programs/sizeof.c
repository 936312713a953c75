// 4 1 48 16 4 24 8 16 1 4 1\n
int printf(const char *format, ...);

struct pair { char a; int b; };

static int f(int array[10], int function(void))
{
    return sizeof array == sizeof(int *) && sizeof function == sizeof(void *);
}

int main(void)
{
    int i = 1, a[3][4];
    char c = 1;
    int n = (int)sizeof(i++);
    printf("%d %d %d %d ", n, i, (int)sizeof a, (int)sizeof *a);
    printf("%d %d %d ", (int)sizeof(c + c), (int)sizeof(struct pair[3]), (int)sizeof(int) * 2);
    printf("%d %d %d %d\n", (int)sizeof(a) [0], (int)sizeof((char)1), (int)sizeof(1 ? c : c), f(a[0], main));
    return 0;
}
