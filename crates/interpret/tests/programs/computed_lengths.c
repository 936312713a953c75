// Arrays whose length is computed: their sizes, rows, parameters, and a new one in each round.
#include <stdio.h>

static int sum(int n, int m, int a[n][m]) {
    int total = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            total = total * 3 % 1000 + a[i][j];
    return total + (int)sizeof a[0];
}

int main(void) {
    int n = 3, m = 4, a[n][m];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = (i + j) % 3;
    int (*row)[m] = a + 1;
    printf("%d %d %d\n", sum(n, m, a), (int)sizeof a, (int)(&a[2] - row));
    int total = 0;
    for (int i = 1; i <= 4; i++) {
        char b[i][2 * i];
        b[i - 1][2 * i - 1] = i;
        int k = 1;
        total += sizeof b + sizeof b[0] + b[i - 1][2 * i - 1] + sizeof(char[k++ + 1]) + k;
    }
    n = 100;
    printf("%d %d %d\n", total, (int)sizeof a, (*row)[2]);
    return 0;
}
