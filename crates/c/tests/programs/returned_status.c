// done\n (exit 42)
int printf(const char *format, ...);

static void done(void)
{
    printf("done\n");
    return;
}

int main(void)
{
    done();
    return 1 ? 42 : 0;
}
