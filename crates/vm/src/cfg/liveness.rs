//! Liveness: a register is live where its value may be read before it is written.
//!
//! Implements: the usual backward iteration over blocks.
//! Differs: the counters of `Op::Unroll` are no values of the program, and dead.
//! Cost: O(instructions × registers / 64) a round.

use super::effects::{reads_of, writes_of};
use super::{Cfg, starts};
use crate::bytecode::{Function, Op, Reg};

/// A set of registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RegisterSet(Vec<u64>);

impl RegisterSet {
    /// An empty set for registers below `size`.
    pub(crate) fn new(size: u16) -> RegisterSet {
        RegisterSet(vec![0; usize::from(size).div_ceil(64)])
    }

    pub(crate) fn insert(&mut self, register: Reg) {
        self.0[usize::from(register.0) / 64] |= 1 << (register.0 % 64);
    }

    pub(crate) fn remove(&mut self, register: Reg) {
        self.0[usize::from(register.0) / 64] &= !(1 << (register.0 % 64));
    }

    pub(crate) fn contains(&self, register: Reg) -> bool {
        self.0[usize::from(register.0) / 64] >> (register.0 % 64) & 1 != 0
    }

    /// Add all of `other`. Returns whether any was new.
    pub(crate) fn union(&mut self, other: &RegisterSet) -> bool {
        let mut is_new = false;
        for (a, &b) in self.0.iter_mut().zip(&other.0) {
            is_new |= b & !*a != 0;
            *a |= b;
        }
        is_new
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Reg> {
        let words = self.0.iter().enumerate().filter(|&(_, &word)| word != 0);
        let registers =
            words.flat_map(|(at, _)| (64 * at..64 * (at + 1)).map(|register| Reg(register as u16)));
        registers.filter(|&register| self.contains(register))
    }
}

/// The registers that are live at the start of each block.
#[derive(Debug)]
pub(crate) struct Liveness {
    live_in: Vec<RegisterSet>,
}

impl Liveness {
    /// `cfg` is the code of `function`, perhaps changed.
    pub(crate) fn new(function: &Function, cfg: &Cfg) -> Liveness {
        let mut live_in = vec![RegisterSet::new(function.registers); cfg.blocks.len()];
        let predecessors = cfg.predecessors();
        // Blocks whose successors have changed.
        let mut pending = vec![true; cfg.blocks.len()];
        while pending.contains(&true) {
            for block in (0..cfg.blocks.len()).rev() {
                if !std::mem::replace(&mut pending[block], false) {
                    continue;
                }
                let mut live = RegisterSet::new(function.registers);
                for to in cfg.successors(block) {
                    live.union(&live_in[to]);
                }
                cfg.blocks[block].ops.iter().rev().for_each(|&op| step_back(function, op, &mut live));
                if live_in[block].union(&live) {
                    predecessors[block].iter().for_each(|&before| pending[before] = true);
                }
            }
        }
        Liveness { live_in }
    }

    /// The registers that are live at the start of a block.
    pub(crate) fn at_start(&self, block: usize) -> &RegisterSet {
        &self.live_in[block]
    }

    /// Whether the register is live after the instruction `at` of the block.
    pub(crate) fn is_live_after(
        &self,
        function: &Function,
        cfg: &Cfg,
        (block, at): (usize, usize),
        register: Reg,
    ) -> bool {
        for &op in cfg.blocks[block].ops[at + 1..].iter().filter(|op| !matches!(op, Op::Unroll { .. })) {
            let (mut is_read, mut is_written) = (false, false);
            reads_of(function, op, |it| is_read |= it == register);
            writes_of(function, op, |it| is_written |= it == register);
            if is_read || is_written {
                return is_read;
            }
        }
        cfg.successors(block).into_iter().any(|to| self.live_in[to].contains(register))
    }
}

/// The registers that are live before each instruction of a function.
pub(crate) fn live_at_each(function: &Function) -> Vec<RegisterSet> {
    let cfg = Cfg::new(function);
    let liveness = Liveness::new(function, &cfg);
    let mut at_each = vec![RegisterSet::new(function.registers); function.code.len()];
    let (starts, mut end) = (starts(function), function.code.len());
    for (block, &start) in starts.iter().enumerate().rev() {
        let mut live = RegisterSet::new(function.registers);
        for to in cfg.successors(block) {
            live.union(&liveness.live_in[to]);
        }
        for pc in (start..end).rev() {
            step_back(function, function.code[pc], &mut live);
            at_each[pc].clone_from(&live);
        }
        end = start;
    }
    at_each
}

/// From the registers that are live after an instruction to those that are live before it.
fn step_back(function: &Function, op: Op, live: &mut RegisterSet) {
    if !matches!(op, Op::Unroll { .. }) {
        writes_of(function, op, |register| live.remove(register));
        reads_of(function, op, |register| live.insert(register));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::Operand;
    use crate::cfg::graph::tests::{edges, function_of};
    use base::Rng;

    const REGISTERS: u16 = 4;

    /// Random moves between random jumps.
    fn random(rng: &mut Rng) -> (Function, Cfg) {
        let function = Function { registers: REGISTERS, ..function_of(&edges(rng, 6)) };
        let mut cfg = Cfg::new(&function);
        for block in &mut cfg.blocks {
            for _ in 0..rng.below(3) {
                let mut any = || Reg(rng.below(u64::from(REGISTERS)) as u16);
                block.insert(0, Op::Move { dst: any(), a: Operand::Reg(any()) });
            }
        }
        (function, cfg)
    }

    /// The definition: there is a path to a read of the register on which it is not written.
    fn is_live_by_definition(function: &Function, cfg: &Cfg, start: usize, register: Reg) -> bool {
        let (mut seen, mut pending) = (vec![false; cfg.blocks.len()], vec![start]);
        'paths: while let Some(block) = pending.pop() {
            if std::mem::replace(&mut seen[block], true) {
                continue;
            }
            for &op in &cfg.blocks[block].ops {
                let (mut reads, mut writes) = (false, false);
                reads_of(function, op, |it| reads |= it == register);
                writes_of(function, op, |it| writes |= it == register);
                if reads {
                    return true;
                }
                if writes {
                    continue 'paths;
                }
            }
            pending.extend(cfg.successors(block));
        }
        false
    }

    #[test]
    fn live_registers_are_those_of_the_definition() {
        let rng = &mut Rng::new(3);
        for _ in 0..1000 {
            let (mut function, cfg) = random(rng);
            let liveness = Liveness::new(&function, &cfg);
            for block in 0..cfg.blocks.len() {
                for register in (0..REGISTERS).map(Reg) {
                    let expected = is_live_by_definition(&function, &cfg, block, register);
                    let live = liveness.at_start(block);
                    assert_eq!(live.contains(register), expected, "{register:?} at {block} in {cfg:?}");
                    assert_eq!(live.iter().any(|it| it == register), expected);
                }
            }
            cfg.write_back(&mut function);
            let (cfg, at_each) = (Cfg::new(&function), live_at_each(&function));
            for (block, &start) in starts(&function).iter().enumerate() {
                for register in (0..REGISTERS).map(Reg) {
                    let expected = is_live_by_definition(&function, &cfg, block, register);
                    assert_eq!(at_each[start].contains(register), expected, "{register:?} before {start}");
                }
            }
        }
    }

    #[test]
    fn the_counter_of_a_bound_is_dead() {
        let code = vec![Op::Unroll { counter: Reg(0) }, Op::Jump(0)];
        let function =
            Function { registers: 1, sites: vec![Default::default(); 2], code, ..Function::default() };
        let liveness = Liveness::new(&function, &Cfg::new(&function));
        assert_eq!(liveness.at_start(0).iter().count(), 0);
    }
}
