// Pearce, Kelly and Hankin, 2007: fields of records are kept apart, also behind a pointer.
//= pair.first -> x
//= pair.second -> y
//= by_pointer -> pair.first
//= one -> x
//= other -> y
//= of_field -> pair.second
//= behind -> y
//= copy.first -> x
//= copy.second -> y
struct pair { int *first; int *second; } pair, copy, *by_pointer;
int x, y, *one, *other, **of_field, *behind;

int main(void) {
    by_pointer = &pair;
    by_pointer->first = &x;
    pair.second = &y;
    one = pair.first;
    other = by_pointer->second;
    of_field = &by_pointer->second;
    behind = *of_field;
    copy = *by_pointer;
    return *one + *other + *behind;
}
