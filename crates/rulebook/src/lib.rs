//! The command line and the library front door: check, show, explain, perft, moves, judge, rank.
