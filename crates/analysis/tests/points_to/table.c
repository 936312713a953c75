// Handlers in a table of records; a call reaches those of its field only.
//= handlers[].open -> open_disk, open_net
//= handlers[].close -> close_disk
//= open_disk: object -> device
//= open_net: object -> device
//= close_disk: object -> other
int device, other;
int open_disk(int *object) { return *object; }
int open_net(int *object) { return *object; }
int close_disk(int *object) { return *object; }

struct handler { int (*open)(int *); int (*close)(int *); } handlers[2] = {
    { open_disk, close_disk },
    { .open = open_net },
};

int main(int argc, char **argv) {
    int n = handlers[argc % 2].open(&device);
    if (handlers[0].close) n += handlers[0].close(&other);
    return n;
}
