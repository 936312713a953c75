// An index that is not known to be one of its array may lead to every part of the object around it; one that is stays.
//= in_array -> s (any part)
//= inside -> s.numbers[]
//= by_bytes -> s (any part)
//= by_number -> memory at an address that was a number, s (any part)
//= back -> s (any part)
struct { int first; int numbers[4]; int last; } s;
int n, *in_array, *inside, *by_bytes, *by_number, *back;

int main(void) {
    in_array = s.numbers + n;
    inside = &s.numbers[n & 3];
    back = in_array - 1;
    by_bytes = (int *)((char *)&s + n);
    by_number = (int *)((unsigned long)&s + n);
    return back == by_bytes;
}
