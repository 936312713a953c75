// 23 -1 2209 1000 5\n
int printf(const char *format, ...);

static int search(int wanted)
{
    int i, j;
    for (i = 0; i < 5; i++)
        for (j = 0; j < 5; j++)
            if (i * j == wanted)
                goto found;
    return -1;
found:
    return i * 10 + j;
}

static int into(int n)
{
    int total = 0;
    goto middle;
    while (n > 0) {
        total += 100;
    middle:
        total += n--;
        {
            if (n == 1)
                goto out;
        inner:
            total += 1000;
        }
    }
    if (total < 5000 && total > 1000)
        goto inner;
out:
    return total;
}

int main(void)
{
    int n = 0;
again:
    if (++n < 5)
        goto again;
    printf("%d %d %d %d %d\n", search(6), search(13), into(4), into(0), n);
    goto end;
end:;
    return 0;
}
