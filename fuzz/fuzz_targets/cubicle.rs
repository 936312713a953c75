//! Any text as a Cubicle model.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| fuzz::readers::cubicle(text));
