//! Whether a thread notices that it is the serial thread of a barrier.
//!
//! Most programs only make sure that the result of `pthread_barrier_wait` is no error: `if (r && r !=
//! PTHREAD_BARRIER_SERIAL_THREAD) …`. The call then has two results that lead to the same: it makes no difference
//! which thread is the serial one, and nothing is chosen.
//!
//! Argument: the thread is run ahead with either result, through instructions that change registers alone. If the two
//! come to the same instruction with the same live registers, all that follows is the same: memory, callers and the
//! record of loops were not touched. If they do not within some steps, the thread counts as one that notices, which is
//! always right.
//!
//! Cost: some steps for each call whose result is used.

use super::SyncCall;
use crate::Builtin;
use crate::bytecode::{Function, Module, Op, Reg};
use crate::cfg::{RegisterSet, is_silent, live_at_each};
use crate::machine::Machine;
use crate::state::ThreadState;
use base::Value;

/// How many instructions a thread is run ahead.
const AHEAD: usize = 32;
/// The largest function, instructions times registers, whose results are looked into. About 1 MB.
const MOST: usize = 1 << 23;

/// Per function whose threads may look at the result of a barrier, the registers that are live before each
/// instruction.
#[derive(Clone, Default, Debug)]
pub(crate) struct Lookers(Vec<Option<Box<[RegisterSet]>>>);

impl Lookers {
    pub(crate) fn of(module: &Module) -> Lookers {
        let live = |function| looks(function).then(|| live_at_each(function).into());
        Lookers(module.functions.iter().map(live).collect())
    }
}

fn looks(function: &Function) -> bool {
    let wait = Builtin::Sync(SyncCall::BarrierWait);
    let looks = |op: &Op| matches!(*op, Op::Builtin { builtin, result: Some(_), .. } if builtin == wait);
    function.code.len() * usize::from(function.registers) <= MOST && function.code.iter().any(looks)
}

impl Machine {
    /// Whether the thread, whose call returns one of these results, could do something else with one than with the
    /// other.
    pub(super) fn notices(&self, state: &ThreadState, result: Reg, results: [Value; 2]) -> bool {
        let Some(live) = &self.lookers.0[state.function as usize] else { return true };
        let [one, other] = results.map(|value| self.silently(state, result, value));
        let is_same = |a: &ThreadState, b: &ThreadState| {
            let same = |Reg(r): Reg| a.registers[usize::from(r)] == b.registers[usize::from(r)];
            a.pc == b.pc && live[a.pc as usize].iter().all(same)
        };
        !one.iter().any(|a| other.iter().any(|b| is_same(a, b)))
    }

    /// The states that the thread comes through from there on, as long as it changes registers alone.
    fn silently(&self, state: &ThreadState, result: Reg, value: Value) -> Vec<ThreadState> {
        let mut ahead = state.clone();
        ahead.finish(Some(result), value);
        let mut passed = vec![ahead];
        while passed.len() < AHEAD {
            let mut next = passed.last().expect("there is the first").clone();
            let is_silent = is_silent(self.function(&next).code[next.pc as usize]);
            if !is_silent || self.run_one(&mut next).is_break() || next.pc == passed[passed.len() - 1].pc {
                break;
            }
            passed.push(next);
        }
        passed
    }
}
