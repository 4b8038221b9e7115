//! Turns a checked rule set into a program for the machine.
