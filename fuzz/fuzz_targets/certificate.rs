//! Any text as a certificate.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| fuzz::readers::certificate(text));
