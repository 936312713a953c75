//! The cvc5 library, through its C API (cvc5/c/cvc5.h and cvc5/c/cvc5_parser.h of version 1.4.2).
//!
//! This is the only file with unsafe code. It is sound because:
//! - [`Session::new`] creates all objects, rejects null, and never deletes them: a session lives as long as its
//!   process.
//! - A session is used by the thread that created it (raw pointers are not `Send`), and each method borrows it mutably,
//!   so that calls never overlap.
//! - Strings returned by the library are valid until the next call, and are copied before.
//! - The library catches its own exceptions and stores the message, which [`outcome`] queries after every call that can
//!   fail.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::{NonNull, null};

/// Opaque types of the library, used through pointers only.
macro_rules! opaque {
    ($($name:ident)*) => { $(#[repr(C)] struct $name { _private: [u8; 0] })* };
}
opaque!(TermManager Solver SymbolManager Parser Command);

/// `CVC5_INPUT_LANGUAGE_SMT_LIB_2_6`.
const SMT_LIB_2_6: c_int = 0;

unsafe extern "C" {
    safe fn cvc5_has_error() -> bool;
    safe fn cvc5_get_error_message() -> *const c_char;

    safe fn cvc5_term_manager_new() -> *mut TermManager;
    fn cvc5_new(terms: *mut TermManager) -> *mut Solver;
    fn cvc5_set_option(solver: *mut Solver, name: *const c_char, value: *const c_char);
    fn cvc5_get_version(solver: *mut Solver) -> *const c_char;

    fn cvc5_symbol_manager_new(terms: *mut TermManager) -> *mut SymbolManager;
    fn cvc5_parser_new(solver: *mut Solver, symbols: *mut SymbolManager) -> *mut Parser;
    fn cvc5_parser_set_str_input(parser: *mut Parser, language: c_int, input: *const c_char, name: *const c_char);
    fn cvc5_parser_next_command(parser: *mut Parser, problem: *mut *const c_char) -> *mut Command;

    fn cvc5_cmd_get_name(command: *mut Command) -> *const c_char;
    fn cvc5_cmd_invoke(command: *mut Command, solver: *mut Solver, symbols: *mut SymbolManager) -> *const c_char;
    fn cvc5_cmd_release(command: *mut Command);
}

/// One solver with a parser for its commands.
pub(crate) struct Session {
    solver: NonNull<Solver>,
    symbols: NonNull<SymbolManager>,
    parser: NonNull<Parser>,
}

/// An executed command.
pub(crate) struct Executed {
    /// Such as `check-sat`.
    pub(crate) name: String,
    /// Its output.
    pub(crate) answer: String,
}

impl Session {
    pub(crate) fn new() -> Result<Session, String> {
        let terms = made(cvc5_term_manager_new())?;
        // SAFETY: each argument was just created, and nothing is ever deleted.
        let solver = made(unsafe { cvc5_new(terms.as_ptr()) })?;
        // SAFETY: as above.
        let symbols = made(unsafe { cvc5_symbol_manager_new(terms.as_ptr()) })?;
        // SAFETY: as above.
        let parser = made(unsafe { cvc5_parser_new(solver.as_ptr(), symbols.as_ptr()) })?;
        Ok(Session {
            solver,
            symbols,
            parser,
        })
    }

    pub(crate) fn version(&mut self) -> String {
        // SAFETY: the solver lives, and the string is copied immediately.
        unsafe { copied(cvc5_get_version(self.solver.as_ptr())) }
    }

    pub(crate) fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let (name, value) = (terminated(name.as_bytes())?, terminated(value.as_bytes())?);
        // SAFETY: the solver lives, and both strings outlive the call.
        unsafe { cvc5_set_option(self.solver.as_ptr(), name.as_ptr(), value.as_ptr()) };
        outcome()
    }

    /// Parses the commands that [`Session::execute`] will execute: complete ones.
    pub(crate) fn read(&mut self, commands: &[u8]) -> Result<(), String> {
        let commands = terminated(commands)?;
        // SAFETY: the parser lives, and both strings outlive the call: the parser copies the input.
        unsafe {
            cvc5_parser_set_str_input(
                self.parser.as_ptr(),
                SMT_LIB_2_6,
                commands.as_ptr(),
                c"<stdin>".as_ptr(),
            );
        }
        outcome()
    }

    /// Executes the next command, if there is one.
    pub(crate) fn execute(&mut self) -> Result<Option<Executed>, String> {
        let mut problem = null();
        // SAFETY: the parser lives, and `problem` has room for one pointer.
        let command = unsafe { cvc5_parser_next_command(self.parser.as_ptr(), &raw mut problem) };
        outcome()?;
        if !problem.is_null() {
            // SAFETY: the library has set it to a string.
            return Err(unsafe { copied(problem) });
        }
        let Some(command) = NonNull::new(command) else {
            return Ok(None);
        };
        // SAFETY: the command is alive until it is released, exactly once; solver and symbols are those of its parser;
        // both strings are copied before the next call.
        unsafe {
            let name = copied(cvc5_cmd_get_name(command.as_ptr()));
            let answer = cvc5_cmd_invoke(command.as_ptr(), self.solver.as_ptr(), self.symbols.as_ptr());
            let executed = outcome().map(|()| Executed {
                name,
                answer: copied(answer),
            });
            cvc5_cmd_release(command.as_ptr());
            executed.map(Some)
        }
    }
}

/// The status of the last call.
fn outcome() -> Result<(), String> {
    if cvc5_has_error() {
        // SAFETY: the library returns a string of its own, which is copied immediately.
        Err(unsafe { copied(cvc5_get_error_message()) })
    } else {
        Ok(())
    }
}

fn made<T>(object: *mut T) -> Result<NonNull<T>, String> {
    outcome()?;
    NonNull::new(object).ok_or_else(|| "out of memory".to_owned())
}

fn terminated(text: &[u8]) -> Result<CString, String> {
    CString::new(text).map_err(|_| "a zero byte in the input".to_owned())
}

/// # Safety
/// `text` is null or points to a string terminated by a zero byte that does not change during the call.
unsafe fn copied(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
