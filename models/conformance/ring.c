/* Processes in a ring: whoever has the token may enter, and passes it on. */

#define NODE(n, first)            \
    int take_##n(void);           \
    void pass_##n(void);          \
    void enter_##n(void);         \
    void leave_##n(void);         \
    int wants_##n(void);          \
                                  \
    void node_##n(void)           \
    {                             \
        int has = first;          \
        for (;;) {                \
            if (!has)             \
                has = take_##n(); \
            if (has == 1) {       \
                if (wants_##n()) { \
                    enter_##n();  \
                    leave_##n();  \
                }                 \
                pass_##n();       \
                has = 0;          \
            }                     \
        }                         \
    }

NODE(0, 1)
NODE(1, 0)
NODE(2, 0)
NODE(3, 0)
NODE(4, 0)
