//! Attempts: a failing attempt of a zero-net-effect round is not made where no thread observes it.
//!
//! A thread takes a lock by an addition (the *attempt*), finds that the lock was taken, makes up for the addition by a
//! subtraction and tries again.
//!
//! Argument: let `S` be all the rounds of an execution that end like this. Take all of them out; a read of a write of
//! such a round reads instead the write that the round's addition has read. If every other thread would be in the same
//! state with the values that are read then, this is an execution, too: the rest of `rf`, `co` and happens-before is
//! as it was, or less. So it is enough to explore the executions without any such round: an attempt is a lock
//! (`waiting.rs`), and a value with which it would fail counts as taken.
//!
//! A thread observes `S` by the values that it reads. At any time a thread has one attempt under way at most. So an
//! access reads the value that it would read without `S`, plus some of the numbers that other threads add in their
//! attempts, one for each thread at most. With every such sum its thread must come to the same state (`Hint::is_same`),
//! or fail, or be blocked. (If it fails it belongs to `S` itself; if it is blocked, so is its execution.) This is
//! checked for every access and every value that it could read. A thread that was joined makes no attempts any more.
//!
//! Implements: \[SAVER\] section VI for rounds of which the attempt itself shows that they fail.
//! Differs: the paper explores failing attempts, lets their threads wait before the subtraction, and looks which
//! threads have observed them.
//!
//! Relies on:
//! * `Use::Unmade`: the location is only added to, and read by atomic loads. Any other access refutes it, and so does a
//!   round that is left out and could race there (`left_out.rs`).
//! * `Use::Unobserved`: no thread observes failing attempts there. A thread that could refutes it; then the exploration
//!   starts again, and attempts at that location are made (`undoing.rs`).
//! * `Assumption::NoAttempt`: the thread makes no attempt with this addend there. Refuted by the first such addition.
//!
//! Cost: nothing for programs without zero-net-effect rounds. A copy of the thread that steps for every sum, for each
//! value that an access to a location with attempts could read; not if the thread has been in the same state before
//! ([`Unaware`]).

use crate::core::shape::Shape;
use crate::core::threads::{Current, Status};
use crate::ledger::{Assumption, Ledger, Use};
use crate::notes::Facts;
use crate::reductions::{Reduction, Room};
use base::{Access, ThreadId, Value, truncate};
use live::EventRef;
use program::{Await, Hint, Request, RmwOp, Role};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// More sums than this are not tried: then it is taken for granted that a thread observes attempts.
const MOST_SUMS: usize = 256;

/// The largest number of states of a thread before an access for which it is remembered that it observes nothing.
const MOST_STATES: usize = 16;

/// Accesses that do not observe failing attempts: by thread, place in its program order and value, in which states. (A
/// thread that has joined others may observe less than it does in the same state at other times; that is not
/// remembered.)
type Unaware<S> = BTreeMap<(ThreadId, u32, Value), Vec<S>>;

/// The room of attempts.
#[derive(Debug)]
pub(crate) struct Attempts<S> {
    /// The additions that are reckoned with: location, thread, addend.
    additions: Vec<(Access, ThreadId, Value)>,
    /// Answers that were given before; they change nothing.
    unaware: RefCell<Unaware<S>>,
}

impl<S> Default for Attempts<S> {
    fn default() -> Self {
        Attempts { additions: Vec::new(), unaware: RefCell::default() }
    }
}

impl<S> Attempts<S> {
    /// The room of a pass with this ledger.
    pub(crate) fn new(ledger: &Ledger) -> Attempts<S> {
        let addition = |assumption: &Assumption| match assumption {
            &Assumption::NoAttempt(at, thread, addend) => Some((at, thread, addend)),
            _ => None,
        };
        Attempts { additions: ledger.refuted().filter_map(addition).collect(), ..Attempts::default() }
    }

    /// The sums that other threads which are still there may have added, 0 left out.
    fn sums(&self, at: Access, is_there: impl Fn(ThreadId) -> bool) -> BTreeSet<Value> {
        let here = || self.additions.iter().filter(|&&(it, thread, _)| it == at && is_there(thread));
        let threads: BTreeSet<ThreadId> = here().map(|&(_, thread, _)| thread).collect();
        let mut sums = BTreeSet::from([0]);
        for thread in threads {
            let addends = || here().filter(|it| it.1 == thread).map(|it| it.2);
            let more = |&sum: &Value| addends().map(move |it| truncate(sum.wrapping_add(it), at.size));
            let added: Vec<Value> = sums.iter().flat_map(more).collect();
            sums.extend(added);
            if sums.len() > MOST_SUMS {
                break;
            }
        }
        sums.remove(&0);
        sums
    }
}

impl<P: Hint, C: Shape> Room<'_, Attempts<P::State>, P, C> {
    /// Whether the request of the thread is an attempt that is left out if it fails.
    #[inline(always)]
    pub(crate) fn is_unobserved(&self, now: &Current<P::State>) -> bool {
        let Request::Rmw { at, op: RmwOp::Add(_) | RmwOp::Sub(_), .. } = now.request else { return false };
        self.reductions.on.has(Reduction::Attempts)
            && now.status == Status::Awaiting
            && self.program.awaits(&now.state) == Await::Attempt
            && self.objects.known(at).is_some_and(|location| {
                self.may_rely(location, Use::Unobserved) && self.may_rely(location, Use::Unmade)
            })
    }

    /// Whether `r` is an attempt that is not made when it reads this, because it fails. Then that is relied on.
    #[inline(always)]
    pub(crate) fn rely_on_unmade(&self, r: EventRef, value: Value) -> bool {
        let now = self.before(r);
        let location = self.graph.event(r).location;
        self.is_unobserved(now)
            && self.fails(now, value)
            && self.rely(location, Use::Unmade)
            && self.rely(location, Use::Unobserved)
    }

    /// Whether the thread, which is about to make an attempt, would make up for it at once if it read this.
    pub(crate) fn fails(&self, now: &Current<P::State>, value: Value) -> bool {
        let Request::Rmw { at, op, .. } = now.request else { return false };
        let (request, state) = self.tell_copy(now, value);
        let Request::Rmw { at: undone, op: undoing, .. } = request else { return false };
        let undoes = || op.apply(value, at.size).and_then(|it| undoing.apply(it, at.size)) == Some(value);
        undone == at && self.program.role(&state) == Role::Undoes && undoes()
    }

    /// `r` could read this: note whether its thread could observe failing attempts by it.
    #[inline(always)]
    pub(crate) fn observe(&self, r: EventRef, value: Value) {
        if self.reductions.on.has(Reduction::Attempts) {
            self.observe_attempts(r, value);
        }
    }

    fn observe_attempts(&self, r: EventRef, value: Value) {
        let event = self.graph.event(r);
        let (thread, at) = (event.thread, self.graph.location(event.location).access);
        let now = self.before(r);
        if let Request::Rmw { op, .. } = now.request
            && self.is_unobserved(now)
            && let Some(addend) = op.apply(0, at.size)
        {
            self.notes.refute(Assumption::NoAttempt(at, thread, addend));
        }
        if !self.may_rely(event.location, Use::Unobserved)
            || matches!(self.program.role(&now.state), Role::Blind | Role::Undoes)
        {
            return;
        }
        let mut unaware = self.state.unaware.borrow_mut();
        let states = unaware.entry((thread, event.index, value)).or_default();
        if states.iter().any(|state| self.program.is_same(state, &now.state)) {
            return;
        }
        let sums = self.state.sums(at, |it| it != thread && !self.has_joined(thread, it));
        if self.could_observe(now, at, value, &sums) {
            self.see(event.location, Facts::OBSERVED);
        } else if states.len() < MOST_STATES && self.has_joined_none(thread) {
            states.push(now.state.clone());
        }
    }

    fn has_joined_none(&self, thread: ThreadId) -> bool {
        !self.graph.thread_ids().any(|it| self.has_joined(thread, it))
    }

    fn has_joined(&self, thread: ThreadId, other: ThreadId) -> bool {
        let exists = other.index() < self.graph.thread_ids().count();
        exists && self.graph.joins_of(other).iter().any(|&join| self.graph.event(join).thread == thread)
    }

    /// Whether the thread would come to another state if others had added one of these sums.
    fn could_observe(
        &self,
        now: &Current<P::State>,
        at: Access,
        value: Value,
        sums: &BTreeSet<Value>,
    ) -> bool {
        let without = self.tell_copy(now, value);
        let mut tells = sums.iter().map(|sum| truncate(value.wrapping_add(*sum), at.size)).filter(|&with| {
            let (request, state) = self.tell_copy(now, with);
            let fails = matches!(request, Request::Block(blocker) if blocker.is_about_values())
                || self.fails(now, with);
            !fails && !self.program.is_same(&without.1, &state)
        });
        sums.len() >= MOST_SUMS || tells.next().is_some()
    }
}
