//! Turns syntax trees into a checked, layered, typed rule set, with diagnostics.
