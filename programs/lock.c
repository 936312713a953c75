// expect: safe (explore: --rule rules/spin-lock.rule)
// A driver that takes a lock for a request, and gives it back also where the request is refused.

typedef struct spinlock { int raw; } spinlock_t;

extern void spin_lock(spinlock_t *lock);
extern void spin_unlock(spinlock_t *lock);
extern int __VERIFIER_nondet_int(void);

struct device {
    spinlock_t lock;
    int pending;
};

static int submit(struct device *device, int size)
{
    spin_lock(&device->lock);
    if (size > 4096) {
        spin_unlock(&device->lock);
        return -1;
    }
    device->pending++;
    spin_unlock(&device->lock);
    return 0;
}

int main(void)
{
    struct device device = { .pending = 0 };
    while (device.pending < 3) {
        int size = __VERIFIER_nondet_int();
        if (submit(&device, size) < 0)
            break;
    }
    return 0;
}
