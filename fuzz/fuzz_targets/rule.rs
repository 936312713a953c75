//! Any text as a rule about calls.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| fuzz::readers::rule(text));
