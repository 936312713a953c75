//! The two functions of Z3 that the `z3` crate does not wrap, or not for our use.
#![allow(unsafe_code)]

use logic::Cancellation;
use z3::Context;
use z3::ast::{Ast, Dynamic, Int, Seq};

/// All but the first element: the part from position 1 on; it may be said to be longer than it is.
pub(crate) fn tail(list: &Seq) -> Option<Dynamic> {
    let context = list.get_ctx();
    let (one, length) = (Int::from(1), list.length());
    if one.get_ctx() != context {
        return None;
    }
    // SAFETY: the three terms belong to this context and live until after the call. Where Z3 refuses, the result is
    // null.
    let part = unsafe {
        z3_sys::Z3_mk_seq_extract(
            context.get_z3_context(),
            list.get_z3_ast(),
            one.get_z3_ast(),
            length.get_z3_ast(),
        )
    }?;
    // SAFETY: Z3 has just made this term in this context.
    Some(unsafe { Dynamic::wrap(context, part) })
}

/// Runs a check in the context, which the switch can stop from another thread. `None` where it is on already.
pub(crate) fn interruptible<R>(cancellation: &Cancellation, context: &Context, check: impl FnOnce() -> R) -> Option<R> {
    let running = RunningContext(context.get_z3_context());
    cancellation.while_running(Box::new(move || running.interrupt()), check)
}

/// A context that is alive: `interruptible` borrows it for as long as this may be used.
struct RunningContext(z3_sys::Z3_context);

// SAFETY: `Z3_interrupt` is the one function that may be called from any thread while another uses the context.
unsafe impl Send for RunningContext {}

impl RunningContext {
    fn interrupt(&self) {
        // SAFETY: the context is alive; see the type.
        unsafe { z3_sys::Z3_interrupt(self.0) };
    }
}
