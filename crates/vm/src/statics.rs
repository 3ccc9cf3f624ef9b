//! Global variables: where each one is, and its contents when the program starts.
//!
//! Constants and variables are two regions of the same make. Every object starts at a multiple of 64 bytes and is
//! followed by a red zone, so a table with one entry per 64 bytes finds the object of an address in constant time.

use crate::address::{MAX_BYTES, REGION_BITS, red_zone};
use crate::bytecode::ShapeId;
use crate::contents::value;
use base::Value;

/// The bytes that one entry of the table stands for.
const GRANULE: u64 = 64;

/// A global variable, placed.
#[derive(Clone, Debug)]
pub(crate) struct StaticObject {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) name: String,
    pub(crate) shape: Option<ShapeId>,
    /// Nothing is known of its contents: an access is refused with this text.
    pub(crate) refusal: Option<String>,
}

/// A region of globals.
#[derive(Clone, Debug)]
pub(crate) struct Statics {
    base: u64,
    /// The initial contents of the region, red zones included.
    pub(crate) bytes: Vec<u8>,
    /// Per granule the object there: its index plus 1, or 0.
    granules: Vec<u32>,
    pub(crate) objects: Vec<StaticObject>,
}

impl Statics {
    /// An empty region. Nothing is at its first address.
    pub(crate) fn new(region: u64) -> Statics {
        let room = red_zone(0);
        Statics {
            base: region << REGION_BITS,
            bytes: vec![0; room as usize],
            granules: vec![0; (room / GRANULE) as usize],
            objects: Vec::new(),
        }
    }

    /// Give an object an address; `None` if there is no room left.
    pub(crate) fn place(&mut self, name: &str, size: u64, align: u64) -> Option<u64> {
        let start = (self.bytes.len() as u64).checked_next_multiple_of(align.max(GRANULE))?;
        let end = start.checked_add(size)?.next_multiple_of(GRANULE).checked_add(red_zone(size))?;
        if end > MAX_BYTES {
            return None;
        }
        self.bytes.resize(end as usize, 0);
        self.granules.resize((end / GRANULE) as usize, 0);
        let address = self.base + start;
        self.objects.push(StaticObject { address, size, name: name.to_owned(), shape: None, refusal: None });
        let covered = (start / GRANULE) as usize..(start + size).div_ceil(GRANULE) as usize;
        self.granules[covered].fill(self.objects.len() as u32);
        Some(address)
    }

    /// The object that was placed last has this shape.
    pub(crate) fn shape_last(&mut self, shape: Option<ShapeId>) {
        self.objects.last_mut().expect("one was placed").shape = shape;
    }

    /// Nothing is known of the contents of the object that was placed last.
    pub(crate) fn refuse_last(&mut self, refusal: String) {
        self.objects.last_mut().expect("one was placed").refusal = Some(refusal);
    }

    /// Set the initial contents of an object that was placed.
    pub(crate) fn fill(&mut self, address: u64, bytes: &[u8]) {
        let start = self.offset(address);
        self.bytes[start..start + bytes.len()].copy_from_slice(bytes);
    }

    /// The position of an address of this region in its bytes.
    #[inline(always)]
    pub(crate) fn offset(&self, address: u64) -> usize {
        (address - self.base) as usize
    }

    /// The object that `address` points into.
    #[inline]
    pub(crate) fn find(&self, address: u64) -> Option<&StaticObject> {
        let granule = *self.granules.get((address.wrapping_sub(self.base) / GRANULE) as usize)?;
        let object = &self.objects[(granule as usize).checked_sub(1)?];
        (address - object.address < object.size).then_some(object)
    }

    /// The object that all of these bytes belong to.
    #[inline]
    pub(crate) fn covering(&self, address: u64, size: u64) -> Option<&StaticObject> {
        self.find(address).filter(|object| size <= object.size - (address - object.address))
    }

    /// The object that starts nearest below `address`: the one that an address in a red zone was most likely meant
    /// to be in.
    pub(crate) fn nearest(&self, address: u64) -> Option<&StaticObject> {
        let next = self.objects.partition_point(|object| object.address <= address);
        self.objects.get(next.checked_sub(1)?)
    }

    /// The initial value of some bytes inside one object that is known.
    #[inline]
    pub(crate) fn read(&self, address: u64, size: u8) -> Option<Value> {
        self.covering(address, u64::from(size)).filter(|object| object.refusal.is_none())?;
        let offset = self.offset(address);
        Some(value(&self.bytes[offset..offset + usize::from(size)]))
    }

    /// The C string that starts at `address`.
    pub(crate) fn text(&self, address: u64) -> Option<String> {
        self.string(address).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// The bytes of the C string that starts at `address`, without the last, which is 0.
    pub(crate) fn string(&self, address: u64) -> Option<&[u8]> {
        let object = self.find(address).filter(|object| object.refusal.is_none())?;
        let range = self.offset(address)..self.offset(object.address + object.size);
        let bytes = &self.bytes[range];
        bytes.iter().position(|&byte| byte == 0).map(|end| &bytes[..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_belongs_to_one_object_or_to_none() {
        let mut statics = Statics::new(1);
        let a = statics.place("a", 40, 4).unwrap();
        let b = statics.place("b", 4, 4096).unwrap();
        statics.fill(b, &[1, 2, 3, 4]);
        assert_eq!(b % 4096, 0);
        assert_eq!(statics.read(b, 4), Some(0x0403_0201));
        assert!(statics.covering(a + 36, 4).is_some() && statics.covering(a + 37, 4).is_none());
        assert!(statics.find(a + 40).is_none() && statics.find(a - 1).is_none() && statics.find(0).is_none());
        assert_eq!(statics.nearest(a + 44).map(|object| &object.name[..]), Some("a"));
        assert!(b - (a + 40) >= 64, "there is a red zone between them");
        assert_eq!(statics.place("huge", 1 << 40, 8), None);
    }
}
