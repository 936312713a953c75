// 0 0 7 -7 7 42 0 0 0 0 12 2147483647 -2147483648 0 12 0 0 9 6 1 1 100\n
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    const char *texts[] = {"", "0", "7", "-7", "+7", " \t\n\v\f\r42x9", "-", "+-3", "--3", "0x10", "12 34", "2147483647",
                           "-2147483648", "-0", "00012", ".5", "\xff" "1", "9\xff"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        printf("%d ", atoi(texts[i]));
    int same = 0, numbers[] = {0, 1, -1, INT_MAX, -INT_MAX, 4096};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        same += abs(numbers[i]) == labs(numbers[i]) &&
                llabs(numbers[i]) == (numbers[i] < 0 ? -numbers[i] : numbers[i]);
    printf("%d %d %d %d\n", same, labs(-LONG_MAX) == LONG_MAX, llabs(-LLONG_MAX) == LLONG_MAX, abs((char)-100));
    return 0;
}
