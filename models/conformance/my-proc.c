/* A procedure whose behaviour depends on its parameter: guards of its abstraction, and of the one that it calls. */

int foo(int mode);

int my_proc(int x)
{
    int y = foo(x);
    if (x == 0) {
        if (y < 0)
            return 20;
        return 10;
    }
    if (y > 0)
        return 30;
    return 10;
}
