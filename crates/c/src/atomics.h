/* gcc's atomic builtin functions as macros, of which <stdatomic.h> is made. Programs that we read have one thread, so
   whatever is atomic is a plain access. The preprocessor takes the macros from here, and nothing else. */

#define CUBIST_OLD(at, value) \
  __auto_type cubist_at = (at); \
  __typeof__(*cubist_at) cubist_given = (value), cubist_old = *cubist_at;
#define CUBIST_BEFORE(at, value, new) (__extension__({ CUBIST_OLD(at, value) *cubist_at = new; cubist_old; }))
#define CUBIST_AFTER(at, value, new) (__extension__({ CUBIST_OLD(at, value) *cubist_at = new; *cubist_at; }))

#define __sync_fetch_and_add(at, value, ...) CUBIST_BEFORE(at, value, cubist_old + cubist_given)
#define __sync_fetch_and_sub(at, value, ...) CUBIST_BEFORE(at, value, cubist_old - cubist_given)
#define __sync_fetch_and_or(at, value, ...) CUBIST_BEFORE(at, value, cubist_old | cubist_given)
#define __sync_fetch_and_and(at, value, ...) CUBIST_BEFORE(at, value, cubist_old & cubist_given)
#define __sync_fetch_and_xor(at, value, ...) CUBIST_BEFORE(at, value, cubist_old ^ cubist_given)
#define __sync_fetch_and_nand(at, value, ...) CUBIST_BEFORE(at, value, ~(cubist_old & cubist_given))
#define __sync_add_and_fetch(at, value, ...) CUBIST_AFTER(at, value, cubist_old + cubist_given)
#define __sync_sub_and_fetch(at, value, ...) CUBIST_AFTER(at, value, cubist_old - cubist_given)
#define __sync_or_and_fetch(at, value, ...) CUBIST_AFTER(at, value, cubist_old | cubist_given)
#define __sync_and_and_fetch(at, value, ...) CUBIST_AFTER(at, value, cubist_old & cubist_given)
#define __sync_xor_and_fetch(at, value, ...) CUBIST_AFTER(at, value, cubist_old ^ cubist_given)
#define __sync_nand_and_fetch(at, value, ...) CUBIST_AFTER(at, value, ~(cubist_old & cubist_given))
#define __atomic_fetch_add(at, value, order) CUBIST_BEFORE(at, value, cubist_old + cubist_given)
#define __atomic_fetch_sub(at, value, order) CUBIST_BEFORE(at, value, cubist_old - cubist_given)
#define __atomic_fetch_or(at, value, order) CUBIST_BEFORE(at, value, cubist_old | cubist_given)
#define __atomic_fetch_and(at, value, order) CUBIST_BEFORE(at, value, cubist_old & cubist_given)
#define __atomic_fetch_xor(at, value, order) CUBIST_BEFORE(at, value, cubist_old ^ cubist_given)
#define __atomic_fetch_nand(at, value, order) CUBIST_BEFORE(at, value, ~(cubist_old & cubist_given))
#define __atomic_add_fetch(at, value, order) CUBIST_AFTER(at, value, cubist_old + cubist_given)
#define __atomic_sub_fetch(at, value, order) CUBIST_AFTER(at, value, cubist_old - cubist_given)
#define __atomic_or_fetch(at, value, order) CUBIST_AFTER(at, value, cubist_old | cubist_given)
#define __atomic_and_fetch(at, value, order) CUBIST_AFTER(at, value, cubist_old & cubist_given)
#define __atomic_xor_fetch(at, value, order) CUBIST_AFTER(at, value, cubist_old ^ cubist_given)
#define __atomic_nand_fetch(at, value, order) CUBIST_AFTER(at, value, ~(cubist_old & cubist_given))

#define __sync_lock_test_and_set(at, value, ...) CUBIST_BEFORE(at, value, cubist_given)
#define __sync_lock_release(at, ...) ((void) (*(at) = 0))
#define __sync_synchronize(...) ((void) 0)

#define CUBIST_SWAP(at, old, new, result) \
  (__extension__({ \
    __auto_type cubist_at = (at); \
    __typeof__(*cubist_at) cubist_old = (old), cubist_new = (new), cubist_held = *cubist_at; \
    _Bool cubist_is_old = cubist_held == cubist_old; \
    if (cubist_is_old) *cubist_at = cubist_new; \
    result; \
  }))
#define __sync_bool_compare_and_swap(at, old, new, ...) CUBIST_SWAP(at, old, new, cubist_is_old)
#define __sync_val_compare_and_swap(at, old, new, ...) CUBIST_SWAP(at, old, new, cubist_held)

#define __atomic_load_n(at, order) (__extension__({ __auto_type cubist_at = (at); *cubist_at; }))
#define __atomic_load(at, into, order) ((void) (*(into) = *(at)))
#define __atomic_store_n(at, value, order) ((void) (*(at) = (value)))
#define __atomic_store(at, from, order) ((void) (*(at) = *(from)))
#define __atomic_exchange_n(at, value, order) CUBIST_BEFORE(at, value, cubist_given)
#define __atomic_exchange(at, from, into, order) ((void) (*(into) = CUBIST_BEFORE(at, *(from), cubist_given)))
#define CUBIST_EXPECT(at, expected, new) \
  (__extension__({ \
    __auto_type cubist_at = (at); \
    __auto_type cubist_expected = (expected); \
    __typeof__(*cubist_at) cubist_new = (new); \
    _Bool cubist_is_old = *cubist_at == *cubist_expected; \
    if (cubist_is_old) *cubist_at = cubist_new; else *cubist_expected = *cubist_at; \
    cubist_is_old; \
  }))
#define __atomic_compare_exchange_n(at, expected, new, weak, yes, no) CUBIST_EXPECT(at, expected, new)
#define __atomic_compare_exchange(at, expected, new, weak, yes, no) CUBIST_EXPECT(at, expected, *(new))
#define __atomic_test_and_set(at, order) \
  (__extension__({ __auto_type cubist_at = (at); _Bool cubist_was = *cubist_at; *cubist_at = 1; cubist_was; }))
#define __atomic_clear(at, order) ((void) (*(at) = 0))
#define __atomic_thread_fence(order) ((void) (order))
#define __atomic_signal_fence(order) ((void) (order))
#define __atomic_always_lock_free(size, at) 1
#define __atomic_is_lock_free(size, at) 1
