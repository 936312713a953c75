//! From a run of the system back to the program.
