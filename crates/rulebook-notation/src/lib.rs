//! Reads and writes positions, moves and game records, driven by the notation section of a rule file.
