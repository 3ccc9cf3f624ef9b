//! Where plain accesses to shared memory are split, so that accesses to the same bytes are equal or apart.
//!
//! The engine takes two accesses for the same location iff they are equal. When it meets two that overlap
//! otherwise, `refine` adds boundaries that separate them, and every plain access is from then on made in pieces
//! that cross none. That is exact for plain accesses: they either race, which is an error whatever the pieces, or
//! happen in one order, in which all pieces agree.
//!
//! Not modelled: an atomic access of which only a part is accessed in another way. It is refused.
//! Cost: a binary search per plain access to shared memory, nothing as long as there are no boundaries.

use base::{Access, Site};
use program::{Conflict, Refusal};

/// The boundaries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Sorted: no plain access goes across one of these addresses.
    boundaries: Vec<u64>,
}

impl Layout {
    /// How many of the `size` bytes at `address` one access may take.
    #[inline]
    pub(crate) fn piece(&self, address: u64, size: u8) -> u8 {
        if self.boundaries.is_empty() {
            return size;
        }
        let next = self.boundaries.partition_point(|&boundary| boundary <= address);
        match self.boundaries.get(next) {
            Some(&boundary) if boundary - address < u64::from(size) => (boundary - address) as u8,
            _ => size,
        }
    }

    /// The same, looking down: how many of the `size` bytes that end at `end`.
    pub(crate) fn piece_before(&self, end: u64, size: u8) -> u8 {
        let next = self.boundaries.partition_point(|&boundary| boundary < end);
        match next.checked_sub(1).map(|last| end - self.boundaries[last]) {
            Some(distance) if distance < u64::from(size) => distance as u8,
            _ => size,
        }
    }

    /// Separate the two accesses, or refuse with the reason.
    pub(crate) fn refine(&mut self, conflict: Conflict) -> Result<(), Refusal> {
        let Conflict { old: (old, old_atomic), new: (new, new_atomic), site } = conflict;
        match (old_atomic, new_atomic) {
            (false, false) => self.separate(old, new),
            (true, false) if contains(new, old) => self.cut([old.address, old.end()]),
            (false, true) if contains(old, new) => self.cut([new.address, new.end()]),
            (true, _) | (_, true) => return Err(mixed_sizes(old, new, site)),
        }
        Ok(())
    }

    /// Separate two plain accesses. A narrow access inside a wide one is most often one element of several of its size:
    /// cut the wide one into such elements at once, instead of starting again for each of them.
    fn separate(&mut self, a: Access, b: Access) {
        let (wide, narrow) = if contains(a, b) { (a, b) } else { (b, a) };
        let step = u64::from(narrow.size);
        let even = contains(wide, narrow)
            && u64::from(wide.size).is_multiple_of(step)
            && (narrow.address - wide.address).is_multiple_of(step);
        if even {
            self.cut((wide.address..=wide.end()).step_by(usize::from(narrow.size)));
        } else {
            self.cut([a.address, a.end(), b.address, b.end()]);
        }
    }

    fn cut(&mut self, at: impl IntoIterator<Item = u64>) {
        self.boundaries.extend(at);
        self.boundaries.sort_unstable();
        self.boundaries.dedup();
    }
}

fn contains(outer: Access, inner: Access) -> bool {
    outer.address <= inner.address && inner.end() <= outer.end()
}

fn mixed_sizes(old: Access, new: Access, site: Site) -> Refusal {
    let message = format!(
        "mixed-size accesses to the same bytes, one of them atomic ({} bytes at {:#x} and {} bytes at {:#x}), \
         are not modelled",
        old.size, old.address, new.size, new.address
    );
    Refusal::new(message, Some(site))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refine(layout: &mut Layout, old: (u64, u8, bool), new: (u64, u8, bool)) -> Result<(), Refusal> {
        let access = |(address, size, atomic)| (Access { address, size }, atomic);
        layout.refine(Conflict { old: access(old), new: access(new), site: Site(1) })
    }

    fn pieces(layout: &Layout, mut address: u64, mut size: u8) -> Vec<u8> {
        let mut pieces = Vec::new();
        while size > 0 {
            let piece = layout.piece(address, size);
            pieces.push(piece);
            address += u64::from(piece);
            size -= piece;
        }
        pieces
    }

    #[test]
    fn a_narrow_plain_access_splits_the_wide_one_evenly() {
        let mut layout = Layout::default();
        assert_eq!(pieces(&layout, 96, 8), [8]);
        refine(&mut layout, (100, 2, false), (96, 8, false)).unwrap();
        assert_eq!(pieces(&layout, 96, 8), [2, 2, 2, 2]);
        assert_eq!(pieces(&layout, 100, 2), [2]);
        assert_eq!(pieces(&layout, 92, 4), [4]);
        assert_eq!((layout.piece_before(104, 8), layout.piece_before(97, 8)), (2, 1));
    }

    #[test]
    fn overlapping_plain_accesses_are_split_at_the_edges_of_both() {
        let mut layout = Layout::default();
        refine(&mut layout, (96, 8, false), (101, 8, false)).unwrap();
        assert_eq!(pieces(&layout, 96, 8), [5, 3]);
        assert_eq!(pieces(&layout, 101, 8), [3, 5]);
        assert_eq!(layout.piece_before(109, 8), 5);
    }

    #[test]
    fn an_atomic_location_stays_whole() {
        let mut layout = Layout::default();
        refine(&mut layout, (100, 4, true), (96, 8, false)).unwrap();
        assert_eq!(pieces(&layout, 96, 8), [4, 4]);
        assert_eq!(pieces(&layout, 100, 4), [4]);
        let refused = refine(&mut layout, (96, 8, true), (96, 4, false)).unwrap_err();
        assert!(refused.message.contains("mixed-size"), "{}", refused.message);
        assert!(refine(&mut layout, (96, 8, true), (96, 4, true)).is_err());
        assert!(refine(&mut layout, (96, 8, false), (100, 8, true)).is_err());
    }
}
