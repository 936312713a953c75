// Fields are kept apart, elements are not.
extern void reach_error(void);
struct { int first, second; } s;
int a[4], b[4];

int main(void) {
    s.first = 1; //+
    s.second = 2; //-
    a[0] = 1; //+
    a[1] = 2; //+
    b[0] = 3; //-
    if (s.first == a[2]) reach_error(); //+
    return 0; //-
}
