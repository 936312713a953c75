// 10 1 28 5 6 3\n
int printf(const char *format, ...);

int x = 1;
static int tentative;
static int tentative = 5;
extern int later;
typedef int number;
struct tag { int a; };

static int get(int x)
{
    {
        int x = 30;
        {
            extern int x;
            return x;
        }
    }
}

int main(void)
{
    int x = 10;
    number number = 4;
    struct tag { char c[3]; } t;
    {
        typedef char x;
        number += sizeof(x);
    }
    for (int x = 0; x < 3; x++) {
        int x = 7;
        number += x;
    }
    if (sizeof(struct tag) == 3) {
        int x = 2;
        number += x;
    }
    printf("%d %d %d %d %d %d\n", x, get(9), number, tentative, later, (int)sizeof t);
    return 0;
}

int later = 6;
