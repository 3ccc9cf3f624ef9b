//! rf-chains as they grow: a write and the read-modify-writes that hang off it.
//!
//! Implements: `TC` and `PC` of \[RF\] section 3. A chain is contiguous in every coherence order, so that a chain is before
//! or after another as a whole. The initial write of a location begins a chain like any other.

use super::clocks::{ClockId, Lane};
use super::hb::Message;
use super::history::{Placed, WriteId};
use crate::execution::Event;

/// A chain, by its number; its HBMO clock has the same one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Chain(u32);

impl Chain {
    pub(crate) fn new(index: usize) -> Chain {
        Chain(u32::try_from(index).expect("less than four thousand million chains"))
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    #[inline(always)]
    pub(crate) fn clock(self) -> ClockId {
        ClockId::new(self.index())
    }
}

/// A write, and where it is in its chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write {
    /// `None` for an initial write.
    pub(crate) event: Option<Event>,
    pub(crate) lane: Lane,
    pub(crate) position: u32,
    /// The one that begins with `TC` of the write.
    pub(crate) chain: Chain,
    /// `PC`: 0 for the first of the chain.
    pub(crate) place: u32,
    /// The read-modify-write that reads it.
    pub(crate) updated_by: Option<WriteId>,
    /// What an acquire of it learns.
    pub(crate) message: Option<Message>,
}

/// A write before it has a place in a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewWrite {
    pub(crate) event: Option<Event>,
    pub(crate) lane: Lane,
    pub(crate) position: u32,
    pub(crate) message: Option<Message>,
}

impl NewWrite {
    fn at(self, chain: Chain, place: u32) -> Write {
        let NewWrite { event, lane, position, message } = self;
        Write { event, lane, position, chain, place, updated_by: None, message }
    }
}

#[derive(Clone, Copy, Debug)]
struct Head {
    top: Placed,
    /// Where its members are, if there are more of them.
    members: Option<u32>,
}

/// All chains of all locations.
#[derive(Clone, Default, Debug)]
pub(crate) struct Chains {
    writes: Vec<Write>,
    heads: Vec<Head>,
    /// Of chains with read-modify-writes: the writes in order.
    members: Vec<Vec<Placed>>,
}

impl Chains {
    #[inline(always)]
    pub(crate) fn write(&self, write: WriteId) -> &Write {
        &self.writes[write.index()]
    }

    /// How many chains.
    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    /// How many writes.
    pub(crate) fn writes(&self) -> usize {
        self.writes.len()
    }

    /// The first write of a chain, `TC` of its writes.
    #[inline(always)]
    pub(crate) fn top(&self, chain: Chain) -> &Write {
        self.write(self.heads[chain.index()].top.write)
    }

    /// The writes of a chain in order.
    pub(crate) fn members(&self, chain: Chain) -> &[Placed] {
        let head = &self.heads[chain.index()];
        match head.members {
            None => std::slice::from_ref(&head.top),
            Some(members) => &self.members[members as usize],
        }
    }

    /// Add a write that begins a chain.
    pub(crate) fn begin(&mut self, new: NewWrite) -> Placed {
        let chain = Chain::new(self.heads.len());
        let write = WriteId::new(self.writes.len());
        self.writes.push(new.at(chain, 0));
        let top = Placed { position: new.position, write, chain };
        self.heads.push(Head { top, members: None });
        top
    }

    /// Add a read-modify-write that reads `source`, which no other one reads.
    pub(crate) fn extend(&mut self, source: WriteId, new: NewWrite) -> Placed {
        let write = WriteId::new(self.writes.len());
        let of = &mut self.writes[source.index()];
        debug_assert!(of.updated_by.is_none(), "weak-atomicity was checked");
        of.updated_by = Some(write);
        let (chain, place) = (of.chain, of.place + 1);
        self.writes.push(new.at(chain, place));
        let placed = Placed { position: new.position, write, chain };
        self.members_mut(chain).push(placed);
        placed
    }

    fn members_mut(&mut self, chain: Chain) -> &mut Vec<Placed> {
        let head = &mut self.heads[chain.index()];
        let members = *head.members.get_or_insert_with(|| {
            self.members.push(vec![head.top]);
            self.members.len() as u32 - 1
        });
        &mut self.members[members as usize]
    }
}
