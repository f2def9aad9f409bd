//! The crate from outside: files that people have, files that are nasty, generated ones, and files on disk.

mod disk;
mod fixtures;
mod generated;
mod nasty;
mod pages;
mod places;
mod support;
