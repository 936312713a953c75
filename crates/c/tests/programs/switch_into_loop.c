// hello, wor.. 7\n
int printf(const char *format, ...);

/* Duff's device. */
static int copy(char *to, const char *from, int count)
{
    int rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--rounds > 0);
    }
    return rounds;
}

int main(void)
{
    char buffer[20] = "....................";
    int rounds = copy(buffer, "hello, world", 10);
    buffer[12] = 0;
    switch (rounds)
        if (0)
    case 0:
            rounds = 7;
    switch (1) { rounds++; }
    printf("%s %d\n", buffer, rounds);
    return 0;
}
