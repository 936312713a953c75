// A function without a body may change what it, or another of its kind, was given.
extern void reach_error(void);
extern void keep(int *);
extern void act(void);
int x, y;

int main(void) {
    keep(&x); //+
    x = 0; //+
    y = 0; //-
    act(); //+
    if (x == 3) reach_error(); //+
    return y; //-
}
