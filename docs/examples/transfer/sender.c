#include "transfer.h"

/* Sends a block, again where it was damaged, at most three times. */
int sender(void)
{
    int tries, answer;
    for (tries = 0; tries < 3; tries++) {
        if (send_block(0) < 0)
            return -1;
        answer = get_answer();
        if (answer)
            return 0;
    }
    return -1;
}
