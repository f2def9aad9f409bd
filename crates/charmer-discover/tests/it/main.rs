//! Discovery on real processes.

mod probe;
