#include "transfer.h"

/* Receives blocks and says of each whether it is good, until one is. */
int receiver(void)
{
    int good;
    do {
        if (get_block() < 0)
            return -1;
        good = !is_damaged();
        if (send_answer(good) < 0)
            return -1;
    } while (!good);
    return 0;
}
