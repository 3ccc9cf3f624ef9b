//! Objects: pieces of memory with a life of their own.

use base::{Access, Site, Value};

/// The kind of storage of an object; it decides how its life may end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Storage {
    /// A global or static variable: lives as long as the program.
    Static,
    /// `malloc` and its like: lives until `free`.
    Heap,
    /// A local variable: lives until its function returns.
    Stack,
}

/// An object at the moment when other threads get to reach it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its first byte.
    pub address: u64,
    /// Its contents; their number is its size.
    pub bytes: Box<[u8]>,
    /// Per byte, whether it was ever written. `None`: all of it was.
    pub defined: Option<Box<[bool]>>,
    /// Per byte, how many events its thread had made when it last wrote it: the write happens before every event that
    /// the thread's next event happens before. `None`: none since the allocation.
    pub written: Option<Box<[u32]>>,
    /// Where its life began: a write, by its thread, of every byte. `None`: before everything.
    pub allocated: Option<Allocation>,
    /// Its kind of storage.
    pub storage: Storage,
}

/// The beginning of the life of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// How many events its thread had made.
    pub events: u32,
    /// The instruction.
    pub site: Site,
}

impl Object {
    /// Whether the whole access is inside.
    pub fn contains(&self, at: Access) -> bool {
        self.address <= at.address && at.end() <= self.address + self.bytes.len() as u64
    }

    /// How many events its thread had made when it last wrote one of the bytes of `at`, or allocated them.
    ///
    /// # Panics
    /// If `at` is not inside.
    pub fn written(&self, at: Access) -> u32 {
        let first = (at.address - self.address) as usize;
        let written = self.written.as_ref().map(|written| &written[first..first + usize::from(at.size)]);
        written.and_then(|written| written.iter().max().copied()).unwrap_or_else(|| self.born())
    }

    /// How many events its thread had made when it last wrote any of it, or allocated it.
    pub fn last_written(&self) -> u32 {
        let last = self.written.as_ref().and_then(|written| written.iter().max().copied());
        last.unwrap_or_else(|| self.born())
    }

    fn born(&self) -> u32 {
        self.allocated.map_or(0, |allocated| allocated.events)
    }

    /// The initial value of the bytes of `at`, `None` if none of them was ever written. (Where some were, the others
    /// are padding: a struct is read as a whole to be passed by value. They count as 0.)
    ///
    /// # Panics
    /// If `at` is not inside.
    pub fn value(&self, at: Access) -> Option<Value> {
        let first = (at.address - self.address) as usize;
        let range = first..first + usize::from(at.size);
        if let Some(defined) = &self.defined
            && !defined[range.clone()].iter().any(|&d| d)
        {
            return None;
        }
        Some(self.bytes[range].iter().rev().fold(0, |value, &byte| value << 8 | Value::from(byte)))
    }
}
