// 42 44 1122 1 -1 255 1 1\n
int printf(const char *format, ...);

struct header { int kind; };
struct message { struct header head; int value; };

static int value(struct header *h)
{
    return h->kind == 1 ? ((struct message *)h)->value : -1;
}

int main(void)
{
    struct message m = { { 1 }, 42 };
    int n = 0x11223344;
    unsigned char *bytes = (unsigned char *)&n;
    void *nothing = &n;
    __UINTPTR_TYPE__ address = (__UINTPTR_TYPE__)nothing;
    printf("%d %x %x ", value((struct header *)&m), bytes[0], *((unsigned short *)nothing + 1));
    printf("%d %d %d ", (int *)address == &n, (int)(char)0x1ff, (unsigned char)-1);
    printf("%d %d\n", (void *)0 == (int *)0, (int)(_Bool)0.5);
    return 0;
}
