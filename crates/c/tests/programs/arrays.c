// 100 152 6 3 5 6 10 16\n
int printf(const char *format, ...);

static int grid[3][4] = { { 1, 2, 3, 4 }, { 5, 6 }, { 9, 10, 11, 12 } };
static int unknown[] = { 5, 4, 3, 2, 1 };

static int sum(int rows, int numbers[][4])
{
    int total = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < 4; j++)
            total += numbers[i][j];
    return total;
}

int main(void)
{
    int (*row)[4] = &grid[1];
    int cube[2][2][2] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    row[1][2] = 100;
    printf("%d %d %d %d ", grid[2][2], sum(3, grid), (*row)[1], 2[unknown]);
    printf("%d %d %d %d\n", (int)(sizeof unknown / sizeof *unknown), cube[1][0][1], *(*(grid + 2) + 1),
           (int)sizeof grid[0]);
    return 0;
}
