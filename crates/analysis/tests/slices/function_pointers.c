// A call by pointer matters where one of the functions does that it may reach.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int x, y;
void set(int v) { x = v; } //+
void forget(int v) { y = v; } //-
void nothing(int v) { y += v; } //-
void (*act)(int), (*rest)(int);

int main(void) {
    act = __VERIFIER_nondet_int() ? set : forget; //+
    rest = nothing; //-
    act(3); //+
    rest(4); //-
    if (x == 3) reach_error(); //+
    return 0; //-
}
