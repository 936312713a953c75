/* A channel between a sender and a receiver: whoever calls waits for the other side. */

int send_block(int number); /* 1 where it went out, negative where the line is down */
int get_block(void);        /* the number of the block, negative where the line is down */
int send_answer(int good);  /* 1 where it went out, negative where the line is down */
int get_answer(void);       /* whether the block was good, negative where the line is down */
int is_damaged(void);       /* whether the block that came last is damaged */
