// Three levels, written and read through.
//= p -> x, y
//= r -> x, y
//= pp -> p, r
//= ppp -> pp
//= out -> x, y
int x, y, *p, *r, **pp, ***ppp, *out;

int main(void) {
    p = &x;
    r = &y;
    ppp = &pp;
    *ppp = &p;
    *ppp = &r;
    **ppp = &x;
    **ppp = &y;
    out = **ppp;
    return *out;
}
