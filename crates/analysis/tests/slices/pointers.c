// A write through a pointer matters where it may reach what matters.
extern void reach_error(void);
int x, y, *p, *q;

int main(void) {
    p = &x; //+
    q = &y; //-
    *p = 3; //+
    *q = 4; //-
    if (x == 3) reach_error(); //+
    return 0; //-
}
