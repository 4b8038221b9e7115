//! Turns scenario files and a driver into a report, without knowing which engine is under test.
