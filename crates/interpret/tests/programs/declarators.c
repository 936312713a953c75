// Declarators: functions that return functions, pointers to arrays, old definitions, names in inner scopes.
#include <stdio.h>

typedef int function(int);
static function increment, twice;
static function *functions[] = { increment, &twice };
static int increment(int x) { return x + 1; }
static int twice(int x) { return 2 * x; }
static int (*get(int i))(int) { return functions[i]; }
static int (*(*pointer)(int))(int) = get;
int old(a, c, f) int a; char c; float f; { return a + c + (int)f; }
static int first_two(int a[static 2], const int n) { return a[0] + a[1] + n; }
int tentative;
extern int tentative;
int tentative = 4;
static int inner(int x) {
    extern int tentative;
    {
        int x = 3;
        {
            extern int tentative;
            x += tentative;
        }
        return x;
    }
}
static int counter(void) {
    static int count = 10;
    return ++count;
}

int main(void) {
    printf("%d %d %d\n", get(1)(4), pointer(0)(4), (***functions[1])(3));
    printf("%d %d %d\n", old(1, 300, 2.9f), first_two((int[]){ 1, 2 }, 3), inner(1));
    counter();
    printf("%d\n", counter());
    int rows[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, (*row)[3] = rows, *cell = rows[1];
    printf("%d %d %d %d\n", row[1][2], (*row)[0], cell[2], *(*(rows + 1) + 1));
    int (*print)(const char *, ...) = printf;
    print("%d %c %s\n", 2["abc"] == 'c', "abc"[1], __func__);
    __typeof__(rows[0]) same = { 7 };
    printf("%d %d\n", (int)sizeof same, _Generic(&same[0], int *: 1, default: 2));
    return _Generic(1.0f, int: 1, float: 2, default: 3);
}
