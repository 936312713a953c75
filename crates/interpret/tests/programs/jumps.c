// Jumps into and out of blocks, loops and switches; Duff's device.
#include <stdio.h>

static void duff(char *to, const char *from, int count) {
    int rounds = (count + 7) / 8;
    switch (count % 8) {
    case 0:
        do {
            *to++ = *from++;
        case 7: *to++ = *from++;
        case 6: *to++ = *from++;
        case 5: *to++ = *from++;
        case 4: *to++ = *from++;
        case 3: *to++ = *from++;
        case 2: *to++ = *from++;
        case 1: *to++ = *from++;
        } while (--rounds > 0);
    }
}

static int into_a_block(int jumps) {
    int sum = 0;
    if (jumps)
        goto in;
    {
        int own = 5;
        sum = own;
    in:
        own = 7;
        sum += own;
    }
    return sum;
}

static int nested(int n) {
    int result = 0;
    for (int i = 0; i < n; i++) {
        switch (i % 4) {
        case 0:
            continue;
        case 1: {
            int j = i;
            while (j--) {
                if (j == 2)
                    goto out;
                result += j;
            }
        }
        case 2:
            result += 100;
            break;
        default:
            result++;
        }
    out:
        result += 1000;
    }
    return result;
}

static int choose(long long value) {
    switch (value) {
        int own;
    case -1: return 1;
    case 1LL << 40: own = 2; return own;
    case 'a' ... 'z': own = 3; return own;
    case 10: {
        int t = 4;
    case 11:
        t = 5;
        return t;
    }
    default: break;
    case 20: value++;
    }
    return (int)value;
}

int main(void) {
    char to[30] = { 0 };
    duff(to, "hello wonderful world", 22);
    puts(to);
    printf("%d %d %d\n", into_a_block(0), into_a_block(1), nested(13));
    printf("%d %d %d %d %d %d %d\n", choose(-1), choose(1LL << 40), choose('q'), choose(10), choose(11), choose(20),
           choose(21));
    int i = 0;
again: {
    int twice = i * 2;
    if (i++ < 3) {
        printf("%d ", twice);
        goto again;
    }
}
    do {
        if (i == 5)
            continue;
        if (i == 9)
            break;
    } while (i++ < 100);
    printf("%d\n", i);
    return 0;
}
