/* As mutex.c, where who waits is woken after the lock is given back. A mutex in the manner of pthread_mutex_lock and pthread_mutex_unlock: three kinds, with owner and count. */

enum kind { FAST, RECURSIVE, CHECKING };

struct mutex {
    int kind;
    int owner;
    int count;
};

/* The spin lock of the machine, and the queue of those who wait. */
void acquire(void);
void release(void);
void suspend(void);
void restart(void);
int self(void);
int waiting(void);

enum { OK = 0, EINVAL = 22, EDEADLK = 35, EPERM = 1 };

int mutex_lock(struct mutex *mutex)
{
    int me;
    if (mutex == 0)
        return EINVAL;
    switch (mutex->kind) {
    case FAST:
        acquire();
        return OK;
    case RECURSIVE:
        me = self();
        if (mutex->owner == me) {
            mutex->count++;
            return OK;
        }
        acquire();
        mutex->owner = me;
        mutex->count = 0;
        return OK;
    case CHECKING:
        me = self();
        if (mutex->owner == me)
            return EDEADLK;
        acquire();
        mutex->owner = me;
        return OK;
    default:
        return EINVAL;
    }
}

int mutex_unlock(struct mutex *mutex)
{
    int me;
    if (mutex == 0)
        return EINVAL;
    switch (mutex->kind) {
    case FAST:
        release();
        return OK;
    case RECURSIVE:
        me = self();
        if (mutex->owner != me)
            return EPERM;
        if (mutex->count > 0) {
            mutex->count--;
            return OK;
        }
        mutex->owner = 0;
        release();
        return OK;
    case CHECKING:
        me = self();
        if (mutex->owner != me)
            return EPERM;
        mutex->owner = 0;
        release();
        if (waiting())
            restart();
        return OK;
    default:
        return EINVAL;
    }
}
