//! The program `charmer` as people and clients use it.

#[cfg(unix)]
mod cache;
mod call;
mod expose;
mod mistakes;
mod serve;
mod shows;
mod spells;
#[cfg(unix)]
mod structure;
mod support;
