// Shapiro and Horwitz, 1997: inclusion keeps apart what unification makes one.
//= a -> b, c
//= b -> d
//= c -> e
//= f -> d, e
int d, e;
int *b, *c, *f, **a;

int main(void) {
    b = &d;
    c = &e;
    a = &b;
    a = &c;
    f = *a;
    return *f;
}
