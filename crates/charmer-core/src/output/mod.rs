//! What is done to a program's output before an assistant reads it.

mod cut;

pub use cut::{Cut, cut_middle};
