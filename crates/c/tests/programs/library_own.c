// 7 1 1 5 4 2\n
// A body of the program wins, also where others of the library are used.
int printf(const char *format, ...);
unsigned long strlen(const char *s) { return s[0]; }
static int isdigit(int c) { return c == 'x'; }
char *strcpy(char *, const char *);
int strcmp();
int sign(int x) { return 2 * x; }
int main(void) {
    char b[8];
    strcpy(b, "\a....");
    printf("%d %d %d", (int)strlen(b), isdigit('x'), strcmp(b, "a") < 0);
    {
        int toupper(int), size_t = 5;
        printf(" %d %d %d\n", size_t, toupper('4') - '0', sign(1));
    }
    return 0;
}
