//! Any text as a certificate; with a digest that fits, so that more than the first check is reached.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = validate::parse_certificate(text);
    let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
    let digest = validate::sha256(format!("{title}\n{rest}").as_bytes());
    let _ = validate::parse_certificate(&format!("{title}\n; sha256: {digest}\n{rest}"));
});
