/* Figure 2 of the paper: the running example. */

void do_a(void);
void do_b(void);

int component(void)
{
    int x, y = 8;
    if (x == 0) {
        do_a();
        if (y < 10)
            return 0;
        else
            return 1;
    } else {
        do_b();
        if (y > 5)
            return 2;
        else
            return 3;
    }
}
