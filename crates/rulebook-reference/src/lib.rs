//! The meaning of a rule set: a plain, traced interpreter of legal acts, next states and verdicts.
