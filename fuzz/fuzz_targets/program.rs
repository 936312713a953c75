//! Any text as a C program.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| fuzz::readers::program(text));
