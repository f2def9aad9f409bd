//! The process groups that run, in memory that the server and its guardian share.
//!
//! A number a group, zero where there is none. The server writes one number when a group begins and when it has ended;
//! the guardian reads them all, once, when the server is gone.

use std::{
    fs::File,
    io::{self, Read, Seek},
    os::{fd::AsFd, unix::fs::FileExt},
    process::Stdio,
};

/// The bytes of a group's number.
const NUMBER: usize = size_of::<i32>();

/// See the module's documentation.
#[derive(Debug)]
pub(in super::super) struct GroupTable {
    file: File,
    /// Places that were used and are free again.
    free: Vec<usize>,
    /// The number of places.
    places: usize,
}

impl GroupTable {
    pub(in super::super) fn new() -> io::Result<Self> {
        Ok(Self {
            file: shared_memory()?,
            free: Vec::new(),
            places: 0,
        })
    }

    /// The table as a stream of a process that is about to start.
    pub(in super::super) fn to_stdio(&self) -> io::Result<Stdio> {
        self.file.try_clone().map(Stdio::from)
    }

    /// Enters a group and returns its place; `None` if it cannot be written.
    pub(in super::super) fn enter(&mut self, group: i32) -> Option<usize> {
        let place = self.free.pop().unwrap_or(self.places);
        if let Err(error) = self.write(place, group) {
            tracing::warn!(%error, "the guardian could not be told of a child");
            return None;
        }
        self.places = self.places.max(place + 1);
        Some(place)
    }

    /// Frees the place of a group that has ended.
    pub(in super::super) fn leave(&mut self, place: usize) {
        // A place that cannot be cleared is not used again, and its group is gone.
        if self.write(place, 0).is_ok() {
            self.free.push(place);
        }
    }

    fn write(&self, place: usize, number: i32) -> io::Result<()> {
        let at = (place * NUMBER) as u64;
        self.file.write_all_at(&number.to_ne_bytes(), at)
    }

    /// The groups in the table that this process got as its standard output.
    pub(in super::super) fn inherited() -> Vec<i32> {
        let read = || {
            let mut bytes = Vec::new();
            let mut table = File::from(io::stdout().as_fd().try_clone_to_owned()?);
            table.rewind()?;
            table.read_to_end(&mut bytes)?;
            io::Result::Ok(bytes)
        };
        let bytes = read().unwrap_or_default();
        let numbers = bytes.chunks_exact(NUMBER);
        numbers
            .filter_map(|bytes| bytes.try_into().ok().map(i32::from_ne_bytes))
            .filter(|group| *group > 0)
            .collect()
    }
}

#[cfg(target_os = "linux")]
fn shared_memory() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};
    Ok(memfd_create("charmer-groups", MemfdFlags::CLOEXEC)?.into())
}

#[cfg(not(target_os = "linux"))]
fn shared_memory() -> io::Result<File> {
    tempfile::tempfile()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(table: &GroupTable) -> Vec<i32> {
        let mut bytes = vec![0; table.places * NUMBER];
        table.file.read_exact_at(&mut bytes, 0).expect("a table");
        let numbers = bytes.chunks_exact(NUMBER);
        numbers
            .map(|bytes| i32::from_ne_bytes(bytes.try_into().expect("four bytes")))
            .collect()
    }

    #[test]
    fn a_group_is_in_the_table_until_it_has_ended_and_places_are_used_again() {
        let mut table = GroupTable::new().expect("a table");
        let first = table.enter(11).expect("a place");
        let second = table.enter(12).expect("a place");
        assert_eq!(numbers(&table), [11, 12]);
        table.leave(first);
        assert_eq!(numbers(&table), [0, 12]);
        assert_eq!(table.enter(13), Some(first));
        table.leave(second);
        assert_eq!(numbers(&table), [13, 0]);
    }
}
