//! Any text as a Murphi model.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| fuzz::readers::murphi(text));
