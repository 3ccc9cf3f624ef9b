//! Bytes, and which of them were ever written.

use base::Value;
use std::ops::Range;

/// The contents of private memory. The caller that found the object has checked the range; one that is not inside
/// panics.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Contents {
    /// A byte that was never written is 0.
    pub(crate) bytes: Box<[u8]>,
    /// Per byte, whether it was written; `None`: all of them were.
    pub(crate) defined: Option<Box<[bool]>>,
    /// Per byte, how many events the thread had made when it last wrote the byte; `None`: `born` for all.
    pub(crate) written: Option<Box<[u32]>>,
    /// How many events the thread had made when it allocated the bytes: that is a write of every byte.
    pub(crate) born: u32,
    /// How many events the thread has made now.
    pub(crate) now: u32,
}

impl Contents {
    /// Bytes that are all defined.
    pub(crate) fn new(bytes: Box<[u8]>) -> Contents {
        Contents { bytes, defined: None, written: None, born: 0, now: 0 }
    }

    /// Bytes that were never written. Costs next to nothing until they are.
    pub(crate) fn undefined(size: usize) -> Contents {
        Contents {
            bytes: vec![0; size].into(),
            defined: Some(vec![false; size].into()),
            written: None,
            born: 0,
            now: 0,
        }
    }

    /// The value of `size` bytes, at most eight, `None` if none of them was ever written. A read that covers both
    /// written and never-written bytes reads padding (a struct that is passed by value is read as a whole): that is
    /// no fault, and those bytes count as 0.
    #[inline]
    pub(crate) fn read(&self, offset: usize, size: u8) -> Option<Value> {
        let range = offset..offset + usize::from(size);
        if let Some(defined) = &self.defined
            && !defined[range.clone()].contains(&true)
        {
            return None;
        }
        Some(value(&self.bytes[range]))
    }

    /// Whether all of these bytes were written.
    fn is_defined(&self, range: Range<usize>) -> bool {
        self.defined.as_ref().is_none_or(|defined| defined[range].iter().all(|&d| d))
    }

    /// Whether none of the bytes was written.
    pub(crate) fn is_undefined(&self) -> bool {
        self.defined.as_ref().is_some_and(|defined| !defined.contains(&true))
    }

    /// Write the `size` low bytes of `value`.
    #[inline]
    pub(crate) fn write(&mut self, offset: usize, size: u8, value: Value) {
        let range = offset..offset + usize::from(size);
        self.stamp(range.clone());
        if let Some(defined) = &mut self.defined {
            defined[range.clone()].fill(true);
        }
        let bytes = &mut self.bytes[range];
        // The usual sizes are one store each.
        match bytes.len() {
            1 => bytes[0] = value as u8,
            4 => bytes.copy_from_slice(&(value as u32).to_le_bytes()),
            8 => bytes.copy_from_slice(&value.to_le_bytes()),
            n => bytes.copy_from_slice(&value.to_le_bytes()[..n]),
        }
    }

    /// These bytes are written now.
    #[inline]
    fn stamp(&mut self, range: Range<usize>) {
        if self.now > self.born || self.written.is_some() {
            let (size, born) = (self.bytes.len(), self.born);
            self.written.get_or_insert_with(|| vec![born; size].into())[range].fill(self.now);
        }
    }

    /// The same, allocated after so many events.
    pub(crate) fn allocated(self, now: u32) -> Contents {
        Contents { written: None, born: now, now, ..self }
    }

    /// Set every byte of a range.
    pub(crate) fn fill(&mut self, range: Range<usize>, byte: u8) {
        self.stamp(range.clone());
        if range.len() == self.bytes.len() {
            self.defined = None;
        } else if let Some(defined) = &mut self.defined {
            defined[range.clone()].fill(true);
        }
        self.bytes[range].fill(byte);
    }

    /// A part of the contents, with whether and when each byte was written.
    pub(crate) fn part(&self, range: Range<usize>) -> Contents {
        let defined = if self.is_defined(range.clone()) { None } else { self.defined.as_ref() };
        Contents {
            bytes: self.bytes[range.clone()].into(),
            defined: defined.map(|d| d[range.clone()].into()),
            written: self.written.as_ref().map(|w| w[range].into()),
            born: self.born,
            now: self.now,
        }
    }

    /// Overwrite from `offset` on; bytes that are undefined in `part` are undefined here.
    pub(crate) fn paste(&mut self, offset: usize, part: &Contents) {
        let range = offset..offset + part.bytes.len();
        self.stamp(range.clone());
        self.bytes[range.clone()].copy_from_slice(&part.bytes);
        match &part.defined {
            Some(theirs) => {
                let size = self.bytes.len();
                self.defined.get_or_insert_with(|| vec![true; size].into())[range].copy_from_slice(theirs);
            }
            None => {
                if let Some(defined) = &mut self.defined {
                    defined[range].fill(true);
                }
            }
        }
    }
}

/// Little-endian, at most eight bytes.
#[inline]
pub(crate) fn value(bytes: &[u8]) -> Value {
    match *bytes {
        [a] => Value::from(a),
        [a, b, c, d] => Value::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => Value::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => bytes.iter().rev().fold(0, |value, &byte| value << 8 | Value::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_size_are_little_endian() {
        let mut contents = Contents::undefined(16);
        for size in 1..=8 {
            contents.write(3, size, 0x8877_6655_4433_2211);
            assert_eq!(contents.read(3, size), Some(base::truncate(0x8877_6655_4433_2211, size)));
            assert_eq!(contents.read(2, 2), Some(0x1100), "byte 2 was never written, and counts as 0");
            assert_eq!(contents.read(1, 2), None, "neither was byte 1");
        }
    }

    #[test]
    fn an_allocation_writes_every_byte() {
        let mut contents = Contents::undefined(4).allocated(3);
        contents.write(0, 1, 7);
        assert_eq!((contents.born, &contents.written), (3, &None), "no event in between");
        contents.now = 5;
        contents.write(1, 2, 7);
        assert_eq!(contents.written.as_deref(), Some(&[3, 5, 5, 3][..]));
    }

    #[test]
    fn a_copy_carries_what_was_never_written() {
        let mut from = Contents::undefined(8);
        from.write(0, 1, 7);
        let mut to = Contents::new(vec![1; 12].into());
        to.paste(4, &from.part(0..8));
        assert_eq!((to.read(0, 4), to.read(4, 1), to.read(5, 1)), (Some(0x0101_0101), Some(7), None));
        to.fill(0..12, 9);
        assert_eq!(to.defined, None);
    }
}
