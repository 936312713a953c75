//! Any text as predicates and properties that are added to a model.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| fuzz::readers::additions(text));
