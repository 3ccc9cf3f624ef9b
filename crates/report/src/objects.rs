//! The objects that threads have allocated, each with a name of its own: `node#2`, and `node#2.next` inside of it.
//!
//! A heap object has the name of its type, or of the pointer to it, and a number; a local variable its own name, and a
//! number if there are several of that name. Numbers count in the order of threads and of their allocations.

use crate::source_map::SourceMap;
use base::Access;
use explore::outcome::{Allocated, Execution};
use program::{LIFE_BITS, LIFE_WORDS, proper_address};
use std::collections::BTreeMap;

/// The name of a heap object of which nothing is known.
const NAMELESS: &str = "heap";

/// The allocated objects of an execution, by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects(Vec<NamedObject>);

/// An allocated object.
#[derive(Clone, Debug)]
pub(crate) struct NamedObject {
    pub(crate) name: String,
    pub(crate) allocated: Allocated,
}

impl Objects {
    /// The objects of an execution.
    pub(crate) fn new(execution: &Execution, map: &dyn SourceMap) -> Objects {
        let name = |object: &Allocated| match map.object(object.site) {
            Some(name) if !name.is_empty() => Some(name),
            _ => object.is_heap.then(|| NAMELESS.to_owned()),
        };
        let named = execution.objects.iter().filter_map(|object| Some((name(object)?, *object)));
        let mut objects: Vec<NamedObject> =
            named.map(|(name, allocated)| NamedObject { name, allocated }).collect();
        // Memory that was given again.
        objects.dedup_by_key(|object| object.allocated.address);
        let mut numbers: BTreeMap<String, (u32, u32)> = BTreeMap::new();
        objects.iter().for_each(|object| numbers.entry(object.name.clone()).or_default().0 += 1);
        for object in &mut objects {
            let (all, number) = numbers.get_mut(&object.name).expect("counted");
            *number += 1;
            if object.allocated.is_heap || *all > 1 {
                object.name = format!("{}#{number}", object.name);
            }
        }
        Objects(objects)
    }

    /// The part of an object that some bytes are; without a size, what starts there. `None`: they are in none of these.
    pub(crate) fn part(&self, at: Access) -> Option<Part<'_>> {
        let address = proper_address(at.address);
        let after = self.0.partition_point(|object| object.allocated.address <= address);
        let object = self.0[..after].last()?;
        let offset = address - object.allocated.address;
        let is_inside = offset < object.allocated.size.max(1);
        let bytes = Access { address: offset, ..at };
        is_inside.then_some(Part { object, bytes, life: (at.address & !LIFE_WORDS) >> LIFE_BITS })
    }
}

/// Some bytes of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    object: &'a NamedObject,
    /// By their offset.
    bytes: Access,
    /// How often the memory was given again before.
    life: u64,
}

impl<'a> Part<'a> {
    /// The name, if the type of the object is known: `node#2.next`. `node#2~2` is the second object in the memory of
    /// `node#2`.
    pub(crate) fn path(self, map: &dyn SourceMap) -> Option<String> {
        let Allocated { size, site, .. } = self.object.allocated;
        Some(format!("{}{}", self.name(), map.path(site, size, self.bytes)?))
    }

    /// The name with an offset.
    pub(crate) fn with_offset(self) -> String {
        match self.bytes.address {
            0 => self.name(),
            offset => format!("{}+{offset}", self.name()),
        }
    }

    fn name(self) -> String {
        match self.life {
            0 => self.object.name.clone(),
            life => format!("{}~{}", self.object.name, life + 1),
        }
    }

    /// The allocated object.
    pub(crate) fn object(self) -> &'a NamedObject {
        self.object
    }
}
