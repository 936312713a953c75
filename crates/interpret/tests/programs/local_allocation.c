// Arrays whose length is known at run time, and alloca.
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static int total(int n, int rows[n][n]) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += rows[i][j];
    return sum;
}

int main(void) {
    for (int n = 1; n < 5; n++) {
        int rows[n][n];
        for (int i = 0; i < n * n; i++) rows[i / n][i % n] = i;
        char *text = alloca((unsigned)n + 1);
        memset(text, 'a' + n, n);
        text[n] = 0;
        printf("%d %d %s\n", total(n, rows), (int)sizeof rows, text);
    }
    return 0;
}
