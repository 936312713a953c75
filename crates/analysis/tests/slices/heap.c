// Objects on the heap are kept apart by where they were allocated.
extern void reach_error(void);
extern void *malloc(unsigned long);

int main(void) {
    int *p = malloc(sizeof *p); //+
    int *q = malloc(sizeof *q); //-
    *p = 1; //+
    *q = 2; //-
    if (*p == 1) reach_error(); //+
    return 0; //-
}
