// Procedures that are only known after other calls by pointer were resolved.
//= first: next -> second
//= second: next -> third
//= third: next -> nothing
//= seen -> a, b, c
//= step -> first, second, third
typedef void (*step_type)(void *next);
int a, b, c, *seen;
step_type step;

void nothing(void *next) {}
void third(void *next) { seen = &c; step = third; }
void second(void *next) { seen = &b; step = (step_type)next; ((step_type)next)((void *)nothing); }
void first(void *next) { seen = &a; step = (step_type)next; ((step_type)next)((void *)third); }

int main(void) {
    step = first;
    first((void *)second);
    return *seen;
}
