//! Any text as the JSON of a run folder.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| fuzz::readers::run_folder(text));
