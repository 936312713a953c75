// Arithmetic with elements stays in its array; through bytes and numbers, it may reach every part of the object.
//= in_array -> s.numbers[]
//= by_bytes -> s (any part)
//= by_number -> memory at an address that was a number, s (any part)
//= back -> s.numbers[]
struct { int first; int numbers[4]; int last; } s;
int n, *in_array, *by_bytes, *by_number, *back;

int main(void) {
    in_array = s.numbers + n;
    back = in_array - 1;
    by_bytes = (int *)((char *)&s + n);
    by_number = (int *)((unsigned long)&s + n);
    return back == by_bytes;
}
