//! Any text as a property file.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| fuzz::readers::property(text));
