// 3 13 6 1\n
#include <stdio.h>

#define FIRST_ABOVE(limit, step) \
    ({ \
        __label__ again, done; \
        int value = 0; \
    again: \
        if (value > (limit)) goto done; \
        value += (step); \
        goto again; \
    done: \
        value; \
    })

int main(void) {
    int outer = 0;
    printf("%d ", FIRST_ABOVE(2, 1));
    printf("%d ", FIRST_ABOVE(10, FIRST_ABOVE(12, 13)));
    {
        __label__ done;
        goto done;
        outer += 100;
    done:
        outer += 6;
    }
    printf("%d ", outer);
    goto done;
    outer = 0;
done:
    printf("%d\n", outer == 6);
    return 0;
}
