//! Fuzzer: bytes as a line of a controller.
//!
//! Invariant: the function is shared with the test that replays kept inputs.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rulebook_conformance::fuzz::protocol_line(bytes));
