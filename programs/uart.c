// expect: safe (explore: --rule rules/spin-lock.rule)
// A driver of a serial port: characters wait in a ring until the port takes them, one at each interrupt.

typedef struct spinlock { int raw; } spinlock_t;

extern void spin_lock(spinlock_t *lock);
extern void spin_unlock(spinlock_t *lock);
extern int __VERIFIER_nondet_int(void);

enum { RING = 2, EIO = 5, EAGAIN = 11 };

struct port {
    spinlock_t lock;
    int is_open;
    int waiting;    // characters in the ring
    int lost;
};

static int port_write(struct port *port, int count)
{
    int written = 0;

    spin_lock(&port->lock);
    if (!port->is_open) {
        spin_unlock(&port->lock);
        return -EIO;
    }
    while (written < count) {
        if (port->waiting == RING) {
            port->lost++;
            spin_unlock(&port->lock);
            return written > 0 ? written : -EAGAIN;
        }
        port->waiting++;
        written++;
    }
    spin_unlock(&port->lock);
    return written;
}

static void port_interrupt(struct port *port)
{
    spin_lock(&port->lock);
    if (port->waiting > 0)
        port->waiting--;
    spin_unlock(&port->lock);
}

int main(void)
{
    struct port port = { .is_open = 0 };
    int request;

    while ((request = __VERIFIER_nondet_int()) != 0) {
        switch (request) {
        case 1:
            port.is_open = 1;
            break;
        case 2:
            port_write(&port, __VERIFIER_nondet_int());
            break;
        case 3:
            port_interrupt(&port);
            break;
        }
    }
    return 0;
}
