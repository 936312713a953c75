//! output
// For what a program prints, what it prints matters, and the status that it ends with.
extern int printf(const char *, ...);
int x, y;

int main(void) {
    x = 3; //+
    y = 4; //-
    printf("%d\n", x); //+
    y = y + x; //-
    return x; //+
}
