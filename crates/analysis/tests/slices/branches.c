// A branch that decides nothing that matters is left out, with what is in it.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int a, b;

int main(void) {
    a = __VERIFIER_nondet_int(); //+
    if (a > 3) //-
        b = 1; //-
    else
        b = 2; //-
    if (a < 0) //+
        a = 5; //+
    while (b < 10) //-
        b++; //-
    if (a == 5) reach_error(); //+
    return b; //-
}
