//! A program that says nothing, for the tests of `charmer`.

fn main() {}
