//! Loops that met the step limit: a few rounds of each are explored, and all the rest of the program.
//!
//! A thread that turns in circles alone would end the run before anything else was looked at. So the exploration starts again
//! and knows the loop: the instruction at which the thread was when it met the limit (the *head*), and those that its last
//! events came from (the *body*). From then on a thread that has made [`ROUNDS`] events at the head in a row, with
//! nothing but events of the body in between, goes no further at the head, as if `--unroll` had cut the loop there. Whether
//! it does depends on the events of the thread alone, so this is another program, explored as any other. A
//! recursion is bounded in the same way, and so is a loop that makes no events, by the program itself ([`Program::bound`]).
//!
//! What is wrong in such an execution is wrong: a thread may be that slow. But it says nothing about what waits for the
//! thread: no deadlock, nothing that spins for ever. If nothing is wrong, there is no verdict, for the reason that
//! was met first.
//!
//! Not in sight: which loop of several nested ones does not end. The one that is cut may be an inner one that does.
//! Cost: nothing for other programs but a comparison at each event; at a head, the events of the rounds made.

use crate::outcome::StopReason;
use base::Site;
use program::{Blocker, Program, Request};
use std::collections::BTreeSet;

/// How many events a thread may make at a head in a row.
const ROUNDS: usize = 4;

/// A thread's last events, as many as this, are those of the loop that it is in.
const TAIL: usize = 1000;

/// More loops than this are not bounded one after the other.
const MAX_LOOPS: usize = 16;

/// The loops that met the limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    loops: Vec<Loop>,
    /// How the first of them did.
    reason: Option<StopReason>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Loop {
    head: Site,
    body: BTreeSet<Site>,
}

impl Bounds {
    /// Why there will be no verdict, unless something is wrong.
    pub(crate) fn reason(&self) -> Option<&StopReason> {
        self.reason.as_ref()
    }

    /// A thread that met the limit is at `head` and has made events at these places, the last one first. False if that
    /// was known, so that to start again would lead to the same.
    pub(crate) fn add(&mut self, reason: StopReason, head: Site, events: impl Iterator<Item = Site>) -> bool {
        self.reason.get_or_insert(reason);
        let body: BTreeSet<Site> = events.take(TAIL).chain([head]).collect();
        let is_new = !self.loops.iter().any(|known| known.head == head && known.body.is_superset(&body));
        let may_grow = is_new && self.loops.len() < MAX_LOOPS;
        if may_grow {
            self.loops.push(Loop { head, body });
        }
        may_grow
    }

    /// The request of a thread that has made events at these places, the last one first; or that it goes no further.
    #[inline(always)]
    pub(crate) fn limit<P: Program>(
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
    use base::ThreadId;

    fn bounds(head: u32, body: &[u32]) -> Bounds {
        let mut bounds = Bounds::default();
        assert!(bounds.add(reason(head), Site(head), body.iter().map(|&site| Site(site))));
        bounds
    }

    fn reason(site: u32) -> StopReason {
        StopReason::StepLimit { site: Site(site), thread: ThreadId(1), limit: 10 }
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
    fn what_is_known_already_is_not_added() {
        let mut bounds = bounds(1, &[1, 2]);
        let mut add =
            |head, body: &[u32]| bounds.add(reason(head), Site(head), body.iter().map(|&it| Site(it)));
        assert!(!add(1, &[2]));
        assert!(add(1, &[3]), "more goes on in a round than was seen");
        assert!(add(2, &[1, 2]), "another head");
        assert_eq!(bounds.reason(), Some(&reason(1)), "the first reason is the one to tell");
    }
}
