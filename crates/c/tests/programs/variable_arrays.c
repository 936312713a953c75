// 21063\n
int printf(const char *format, ...);

static int total(int rows, int columns, int grid[rows][columns])
{
    int sum = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            sum += grid[i][j];
    return sum;
}

int main(void)
{
    int sizes = 0;
    for (int n = 1; n < 4; n++) {
        int numbers[n], grid[n][n + 1];
        for (int i = 0; i < n; i++) {
            numbers[i] = i;
            for (int j = 0; j <= n; j++)
                grid[i][j] = i * j;
        }
        sizes += sizeof numbers + total(n, n + 1, grid) * 1000 + numbers[n - 1];
        n += 0;
        sizes += sizeof grid[0];
    }
    printf("%d\n", sizes);
    return 0;
}
