// What nobody reads does not matter.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int unused = x * 2; //-
    int y = x + 1; //+
    unused += y; //-
    if (y == 7) //+
        reach_error(); //+
    return 0; //-
}
