#include <stdatomic.h>
#include <stdbool.h>

static long count = 1L << 30;
static _Atomic unsigned flags = 6;
static atomic_int level;
static int lock;

static int calls;
static int *place(void) { calls++; return &lock; }

int main(void) {
  if (__sync_fetch_and_add(&count, 2) != 1L << 30 || count != (1L << 30) + 2) return 1;
  if (__sync_sub_and_fetch(&count, 2) != 1L << 30) return 2;
  if (__sync_val_compare_and_swap(&count, 5, 6) != 1L << 30 || count == 6) return 3;
  if (!__sync_bool_compare_and_swap(&count, 1L << 30, 6) || count != 6) return 4;
  if (__sync_lock_test_and_set(place(), 1) != 0 || lock != 1 || calls != 1) return 5;
  __sync_lock_release(place());
  if (lock != 0 || calls != 2) return 6;
  if (__sync_fetch_and_nand(&count, 2) != 6 || count != ~2L) return 7;
  if (atomic_fetch_or(&flags, 9) != 6 || atomic_load(&flags) != 15) return 8;
  if (atomic_fetch_xor(&flags, 1) != 15 || atomic_fetch_and(&flags, 12) != 14) return 9;
  atomic_store(&level, 7);
  if (atomic_exchange(&level, 8) != 7) return 10;
  int expected = 3;
  if (atomic_compare_exchange_strong(&level, &expected, 9) || expected != 8) return 11;
  if (!atomic_compare_exchange_strong(&level, &expected, 9) || atomic_load(&level) != 9) return 12;
  unsigned char byte = 255;
  if (__atomic_add_fetch(&byte, 3, __ATOMIC_SEQ_CST) != 2 || byte != 2) return 13;
  __sync_synchronize();
  atomic_thread_fence(memory_order_seq_cst);
  return 42;
}
