//! The heap of a thread, as the GNU C library keeps it: prepared for much memory, which costs nothing until it is used.
//!
//! The heap of a thread other than the first grows by a few pages at a time, each time with a call to the system, and
//! the system gives memory page by page. A search that is over in a twentieth of a second spends a fifth of that so.
//! With another C library nothing is gained, and nothing lost.

use rustix::mm::Advice;

/// What the heap may grow to before it asks the system again.
const ROOM: usize = 8 << 20;
/// Heaps of threads begin at multiples of this, and are no larger.
const HEAP: usize = 64 << 20;
/// What the system gives at once where it may.
const LARGE_PAGE: usize = 2 << 20;

/// Prepares the heap of this thread. It takes up addresses, not memory: large pages begin where the first has been used
/// up by small ones.
pub fn prepare_heap() {
    advise_large_pages();
    // A block that is given back shows the library that such blocks belong into the heap; then one is taken from it.
    for _ in 0..2 {
        std::hint::black_box(Vec::<u8>::with_capacity(ROOM));
    }
}

/// Asks for large pages in the heap of this thread, from the first that is not in use.
#[allow(unsafe_code)]
fn advise_large_pages() {
    let block = std::hint::black_box(Box::new(0u64));
    let here = std::ptr::from_ref(block.as_ref()).cast_mut();
    let address = here.addr();
    let (first, end) = (
        (address + 1).next_multiple_of(LARGE_PAGE),
        (address + 1).next_multiple_of(HEAP),
    );
    // Where there is no such memory, or the system does not know large pages, everything is as before.
    // SAFETY: this is advice on which pages to use, and changes nothing that can be read, whosever the memory is.
    let _ = unsafe { rustix::mm::madvise(here.with_addr(first).cast(), end - first, Advice::LinuxHugepage) };
}
