//! Fuzzer: bytes as a string of each small language.
//!
//! Invariant: the function is shared with the test that replays kept inputs.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rulebook_conformance::fuzz::expression(bytes));
