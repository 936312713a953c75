// 9 2 green 4 a + "b" 1\n
int printf(const char *format, ...);

#define SQUARE(x) ((x) * (x))
#define NAME(a, b) a##b
#define TEXT(x) #x
#define LIST X(red) X(green) X(blue)
#define FIRST(a, ...) a
#define LOG(format, ...) printf(format, ##__VA_ARGS__)

enum {
#define X(name) NAME(colour_, name),
    LIST
#undef X
};

static const char *const names[] = {
#define X(name) TEXT(name),
    LIST
#undef X
};

int main(void)
{
    LOG("%d %d %s ", SQUARE(1 + 2), colour_blue, names[colour_green]);
    LOG("%d %s ", FIRST(4, 5, 6), TEXT(a + "b"));
    LOG("%d\n", __LINE__ > 20
#ifdef UNKNOWN
        + 100
#endif
    );
    return 0;
}
