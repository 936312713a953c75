// Assumptions and ways out before it decide whether a step is reached.
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern void exit(int);
int x, y, z;

static void check(void) {
    if (y < 0) //+
        exit(1); //+
}

int main(void) {
    x = __VERIFIER_nondet_int(); //+
    y = __VERIFIER_nondet_int(); //+
    z = __VERIFIER_nondet_int(); //-
    __VERIFIER_assume(x > 3); //+
    check(); //+
    if (x == 2) reach_error(); //+
    __VERIFIER_assume(z > 3); //-
    return 0; //-
}
