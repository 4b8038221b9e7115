//! Fuzzer: bytes as a game in which the machine and the interpreter are asked the same.
//!
//! Invariant: the function is shared with the test that replays kept inputs.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rulebook_conformance::fuzz::machine_reference(bytes));
