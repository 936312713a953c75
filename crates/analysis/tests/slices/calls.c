// Calls whose effects do not matter are left out; of others, the result may be.
extern void reach_error(void);
int counter, other;

static int count(void) {
    counter++; //+
    return other; //-
}

static void note(void) {
    other++; //-
}

int main(void) {
    note(); //-
    int result = count(); //+
    note(); //-
    if (counter == 2) reach_error(); //+
    return result; //-
}
