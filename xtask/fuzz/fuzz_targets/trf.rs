//! Fuzzer: bytes as a report of a tournament.
//!
//! Invariant: the function is shared with the test that replays kept inputs.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rulebook_conformance::fuzz::trf(bytes));
