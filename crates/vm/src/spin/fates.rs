//! What becomes of each loop, for who asks why an exploration is large: cut, watched or left alone, and why.
//!
//! Before the run, the passes say which loops are cut and which are watched. While the program is explored, each watched
//! loop notes whether a round of it was cut, and else what had changed at the end of one. Notes are never taken back and
//! only added to, so that they do not depend on the order in which executions are explored, but for the place of a write,
//! which is the first one seen.
//! Cost: a look at a byte at the end of each round of a watched loop.

use crate::machine::Machine;
use base::Site;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// What the passes do to a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fate {
    /// Every round that does not leave it is cut.
    Cut,
    /// Rounds that change nothing are cut.
    Watched(u16),
    /// Every round counts, or writes.
    Changes,
    /// No round reads memory that others can write.
    Alone,
}

/// A loop: its header, and what the passes do to it.
pub(super) type Noted = (Site, Fate);

/// Why a round was not cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// None: it was cut.
    Nothing = 1,
    /// It has written memory that others can reach.
    Effect = 2,
    /// The thread is in another state.
    State = 4,
}

/// Notes about all loops.
#[derive(Debug, Default)]
pub(crate) struct Fates {
    /// By function, the loops.
    loops: Vec<Vec<Noted>>,
    /// By function and watch.
    seen: Vec<Vec<Seen>>,
}

/// Notes about a watched loop.
#[derive(Debug, Default)]
struct Seen {
    /// The changes that were seen, as a set.
    changes: AtomicU8,
    /// The first write that was, as function and instruction.
    effect: AtomicU64,
}

impl Fates {
    pub(super) fn new(loops: Vec<Vec<Noted>>) -> Fates {
        let watches = |loops: &Vec<Noted>| {
            let watched = loops.iter().filter(|it| matches!(it.1, Fate::Watched(_)));
            watched.map(|_| Seen::default()).collect()
        };
        Fates { seen: loops.iter().map(watches).collect(), loops }
    }

    /// A round has ended like that; `effect` is the place of the last write.
    #[inline]
    pub(super) fn note(&self, function: u32, watch: u16, change: Change, effect: u64) {
        let Some(seen) = self.seen.get(function as usize).and_then(|it| it.get(usize::from(watch))) else {
            return;
        };
        let bit = change as u8;
        if seen.changes.load(Ordering::Relaxed) & bit == 0 {
            seen.changes.fetch_or(bit, Ordering::Relaxed);
            if change == Change::Effect {
                seen.effect.store(effect, Ordering::Relaxed);
            }
        }
    }
}

impl Machine {
    /// What has become of the loops: the places of their headers, and a sentence about each. To be asked after an exploration.
    pub fn loops(&self) -> Vec<(Site, String)> {
        let mut said: BTreeMap<Site, String> = BTreeMap::new();
        for (function, loops) in self.fates.loops.iter().enumerate() {
            for &(site, fate) in loops {
                // A loop that was copied is told of once.
                said.entry(site).or_insert_with(|| self.sentence(function, fate));
            }
        }
        said.into_iter().collect()
    }

    fn sentence(&self, function: usize, fate: Fate) -> String {
        let watch = match fate {
            Fate::Cut => return "waits: every round that does not leave it is left out".to_owned(),
            Fate::Changes => {
                return "is not cut: every round counts or writes; if it waits for others, bound it with --unroll"
                    .to_owned();
            }
            Fate::Alone => return "reads nothing that other threads write".to_owned(),
            Fate::Watched(watch) => watch,
        };
        let seen = &self.fates.seen[function][usize::from(watch)];
        let changes = seen.changes.load(Ordering::Relaxed);
        let has = |change: Change| changes & change as u8 != 0;
        let mut text = match (changes, has(Change::Nothing)) {
            (0, _) => return "is watched; no round of it was run to its end".to_owned(),
            (_, true) => "is watched: rounds that changed nothing were left out".to_owned(),
            (_, false) => "is watched, and no round was left out".to_owned(),
        };
        if has(Change::Effect) {
            let place = seen.effect.load(Ordering::Relaxed);
            let site = self.site_at((place >> 32) as u32, place as u32);
            let place = self.site_info(site).and_then(|info| info.place.as_ref());
            let at = place.map_or_else(String::new, |place| format!(", at {}:{}", place.file, place.line));
            text += &format!("; others wrote memory that other threads can reach{at}");
        }
        if has(Change::State) {
            text += "; others left a variable of their thread changed";
        }
        text
    }
}
