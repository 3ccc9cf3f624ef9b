//! Carried values: rounds that end where the thread would be if an earlier read had read what the last one has read.
//!
//! In `old = x; for (;;) { if (full(old)) return; if (cas(&x, &old, f(old))) break; }` a failed attempt has read the
//! value that the next round starts with. The load before the loop might have read it just as well. So might the failed
//! attempt of the round before, in a loop that starts without a load. `carry` sees that in code of one shape; here it
//! is seen at run time, whatever the code: guards before the attempt, several attempts in a round, several ways out,
//! values that are kept in memory, attempts in functions that the loop calls.
//!
//! Let `r` be the last read of a round, which has read `v` from a write `w`, and let `l` be the last request of the
//! thread before a visit to the header of the loop, with no effect since (`repeat`). Both are loads or failed
//! compare-exchanges of one place, and `l` is of no stronger order than `r`. If the thread, told `v` at `l` instead of
//! what it was told, would come to the header without another request, and be there in the state in which it is now,
//! then the round is cut. Nothing is lost by that: put `l`, reading from `w`, in the place of `r`, and leave out all
//! other events of the thread from `l` on. These have no effect. What is left is consistent under every model, for
//! events only get fewer and weaker; it is an execution of the program, for the thread is in the same state; and it has
//! fewer events. So an execution with as few events as any that ends in a given state has no such round.
//! The compare-exchange `l` must fail with `v`, or it would write.
//!
//! The same goes for a round that ends in the state of any earlier visit, with no effect since: a thread that finds 1,
//! then 2, then 1 again has been there. A few visits are remembered.
//!
//! Implements: \[SAVER\] section IV, bisimilarity, which compares code, as a comparison of states.
//! Side conditions: all live registers are compared (`Spin::All`). The value of `r` may not be one that the engine was
//! told makes no difference (`Await::Equal`, `Await::Failure`). If the round is kept (`kept`), so are both reads.
//! Races: `l` is an access of the same place as `r`, which is a part of the round.
//! Liveness: the round that blocks its thread begins with `l`. If `w` is the last write, the source of `l` is not, or
//! had the same value; so a thread that would go on with `v` is not taken for one that spins for ever.
//! Cost: a copy of the state for each read from which the header of a watched loop can be reached without another
//! access; at the end of a round that was not repeated, a run from the read before it to the header.

use super::awaits::{Awaited, leading, leading_returns, leads_to_end};
use crate::bytecode::{Module, Op};
use crate::machine::Machine;
use crate::spin::Visits;
use crate::state::{Pending, ThreadState};
use crate::step::Flow;
use base::{Access, ReadOrder, Value};
use program::{Request, RmwOp};
use std::sync::Arc;

/// More headers of other loops on the way are not passed.
const MOST_HEADS: usize = 8;

/// A read that a thread is about to make, and may carry a value from to the header of a loop.
#[derive(Debug)]
pub(super) struct Carried {
    /// The thread at the read, without its record of loops.
    before: ThreadState,
    /// How many effects it has had.
    effects: u32,
    at: Access,
    pub(super) order: ReadOrder,
    /// The value with which it is no mere read.
    expected: Option<Value>,
}

/// Per function and instruction: whether the header of a watched loop, or the end of a round, can be reached from that
/// read without another access. Empty if no loop is watched.
pub(crate) fn carriers(module: &Module, awaits: &[Box<[Awaited]>]) -> Vec<Box<[bool]>> {
    let is_end = |op: Op| matches!(op, Op::LoopHead { .. } | Op::SpinCheck { .. });
    if !module.functions.iter().any(|function| function.code.iter().any(|&op| is_end(op))) {
        return Vec::new();
    }
    let returns = leading_returns(module, is_end);
    let of = |index: usize| {
        let (function, awaits) = (&module.functions[index], &awaits[index]);
        let leads = leading(function, returns[index], is_end);
        let is_one = |(pc, awaited): (usize, &Awaited)| {
            let is_used = !matches!(awaited, Awaited::Equal(_) | Awaited::Failure);
            let reads = matches!(function.code[pc], Op::Load { .. } | Op::CompareExchange { .. });
            is_used && reads && leads_to_end(function, pc, &leads)
        };
        awaits.iter().enumerate().map(is_one).collect()
    };
    (0..awaits.len()).map(of).collect()
}

impl Carried {
    /// Whether this read, told `value`, could have been made earlier in the place of `other`.
    fn stands_for(&self, other: &Carried, value: Value) -> bool {
        self.at == other.at && self.expected != Some(value) && other.expected != Some(value)
    }

    /// Whether the two are the same read of the same state.
    pub(super) fn is_same(&self, other: &Carried) -> bool {
        let facts = |it: &Carried| (it.effects, it.at, it.order, it.expected);
        facts(self) == facts(other) && super::is_same(&self.before, &other.before)
    }

    /// How many events the thread had made before it.
    pub(super) fn events(&self) -> u32 {
        self.before.memory.events
    }
}

impl Machine {
    /// Note the request as a read that may carry a value, before its effect is noted.
    #[inline]
    pub(super) fn note_carried(&self, state: &mut ThreadState, request: &Request) {
        if self.carriers.is_empty() {
            return;
        }
        let is_one = self.carriers[state.function as usize].get(state.pc as usize).is_some_and(|&is| is);
        let read = if is_one { carried(state, request) } else { None };
        state.visits.read = read.map(Arc::new);
    }

    /// The state in which the thread comes to this header if it is told `value`; `None`: it makes another request first.
    fn head_after(&self, state: &ThreadState, value: Value, watch: u16) -> Option<ThreadState> {
        let mut ahead = state.clone();
        let Flow::Continue(()) = self.answered(&mut ahead, value) else { return None };
        for _ in 0..MOST_HEADS {
            ahead.pending = Pending::SeeksHead;
            self.run(&mut ahead);
            let Op::LoopHead { watch: found } = self.function(&ahead).code[ahead.pc as usize] else {
                return None;
            };
            if found == watch {
                return Some(ahead);
            }
            ahead.pc += 1;
        }
        None
    }

    /// The state at this header that the thread would have come to, had it read at `then`, the last read before the
    /// visit, what it has just read.
    pub(super) fn carried_head(
        &self,
        state: &ThreadState,
        then: &Carried,
        watch: u16,
    ) -> Option<ThreadState> {
        let (now, value) = (state.visits.read.as_ref()?, state.visits.told);
        let fits = now.stands_for(then, value) && then.effects == state.visits.effects();
        if fits { self.head_after(&then.before, value, watch) } else { None }
    }
}

/// The read that the thread asks for, if it is one whose answer is used at once.
fn carried(state: &ThreadState, request: &Request) -> Option<Carried> {
    let (at, order, expected) = match *request {
        Request::Read { at, order } if matches!(state.pending, Pending::Register(_)) => (at, order, None),
        Request::Rmw { at, op: RmwOp::CompareExchange { expected, .. }, failure, .. } => {
            (at, failure, Some(expected))
        }
        _ => return None,
    };
    if order == ReadOrder::NotAtomic {
        return None;
    }
    let effects = state.visits.effects();
    let before = ThreadState { visits: Visits::default(), ..state.clone() };
    Some(Carried { before, effects, at, order, expected })
}
