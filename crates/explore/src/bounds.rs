//! Loops that met the step limit: a few rounds of each are explored, and all the rest of the program.
//!
//! A thread that runs in circles alone would end the run before anything else was explored. So the exploration starts
//! again and knows the loop: the instruction at which the thread was when it met the limit (the *head*), and those that
//! its last events came from (the *body*). From then on a thread that has made [`ROUNDS`] events at the head in a row,
//! with nothing but events of the body in between, goes no further at the head, as if `--unroll` had cut the loop
//! there. Whether it does depends on the events of the thread alone, so this is another program, explored as any other.
//! A recursion is bounded in the same way, and so is a loop that makes no events, by the program itself
//! ([`program::Refinements::endless`]).
//!
//! An error in such an execution is one: a thread may be that slow. But the execution says nothing about threads that
//! wait for this one: it is no deadlock, and none of them spins for ever. If there is no error, there is no verdict,
//! for the reason that was met first.
//!
//! Not modelled: which loop of several nested ones does not end. The one that is cut may be an inner one that does.
//! Cost: nothing for other programs but a comparison at each event; at a head, the events of the rounds made.

use crate::ledger::{Assumption, Ledger};
use base::Site;
use program::{Blocker, Hint, Request};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How many events a thread may make at a head in a row.
const ROUNDS: usize = 4;

/// A thread's last events, as many as this, are those of the loop that it is in.
const TAIL: usize = 1000;

/// More loops than this are not bounded one after the other.
const MAX_LOOPS: usize = 16;

/// The loops that met the limit in earlier passes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    loops: Vec<Loop>,
}

/// A loop that met the limit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Loop {
    head: Site,
    body: BTreeSet<Site>,
    /// The instruction at which it ran without events, if it did: the program itself bounds it.
    pub(crate) silent: Option<Site>,
}

impl Bounds {
    /// The loops of a ledger.
    pub(crate) fn of(ledger: &Ledger) -> Bounds {
        let endless = |assumption: &Assumption| match assumption {
            Assumption::Ends(it) => Some(it.clone()),
            _ => None,
        };
        Bounds { loops: ledger.refuted().filter_map(endless).collect() }
    }

    /// Whether there are none: only then there may be a verdict without an error.
    pub(crate) fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// The loop of a thread that met the limit at `head` and has made events at these places, the last one first.
    /// `None` if it was known, so that starting again would lead to the same.
    pub(crate) fn meet(
        &self,
        head: Site,
        events: impl Iterator<Item = Site>,
        silent: Option<Site>,
    ) -> Option<Loop> {
        let body: BTreeSet<Site> = events.take(TAIL).chain([head]).collect();
        let is_new = !self.loops.iter().any(|known| known.head == head && known.body.is_superset(&body));
        (is_new && self.loops.len() < MAX_LOOPS).then_some(Loop { head, body, silent })
    }

    /// The request of a thread that has made events at these places, the last one first; a block if its loop is cut
    /// there.
    #[inline(always)]
    pub(crate) fn limit<P: Hint>(
        &self,
        program: &P,
        state: &P::State,
        request: Request,
        events: impl Iterator<Item = Site> + Clone,
    ) -> Request {
        if self.loops.is_empty() || !request.makes_event() {
            return request;
        }
        let site = program.site(state);
        let is_over = self.loops.iter().any(|it| it.head == site && it.is_over(events.clone()));
        if is_over { Request::Block(Blocker::Unroll) } else { request }
    }
}

impl Loop {
    fn is_over(&self, events: impl Iterator<Item = Site>) -> bool {
        let row = events.take_while(|site| self.body.contains(site));
        row.filter(|&site| site == self.head).nth(ROUNDS - 1).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(head: u32, body: &[u32]) -> Bounds {
        let it = Bounds::default().meet(Site(head), body.iter().map(|&site| Site(site)), None);
        let mut ledger = Ledger::default();
        ledger.refute(Assumption::Ends(it.expect("nothing was known")));
        Bounds::of(&ledger)
    }

    fn is_over(bounds: &Bounds, events: &[u32]) -> bool {
        bounds.loops.iter().any(|it| it.is_over(events.iter().rev().map(|&site| Site(site))))
    }

    #[test]
    fn rounds_count_in_a_row() {
        let bounds = bounds(1, &[1, 2]);
        assert!(!is_over(&bounds, &[1, 2, 1, 2, 1, 2]));
        assert!(is_over(&bounds, &[1, 2, 1, 1, 2, 2, 1, 2]));
        assert!(!is_over(&bounds, &[1, 2, 1, 2, 1, 2, 3, 1, 2]), "it was left, and entered again");
    }

    #[test]
    fn what_is_known_already_is_not_met_again() {
        let bounds = bounds(1, &[1, 2]);
        let meets =
            |head, body: &[u32]| bounds.meet(Site(head), body.iter().map(|&it| Site(it)), None).is_some();
        assert!(!meets(1, &[2]));
        assert!(meets(1, &[3]), "more goes on in a round than was seen");
        assert!(meets(2, &[1, 2]), "another head");
    }
}
