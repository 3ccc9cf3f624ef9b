//! Zero-net-effect rounds (spin-zne): they end with a subtraction that makes up for an earlier addition.
//!
//! A thread that is about to make such an *undoing* addition (`Role::Undoes`) may wait there as long as no other thread
//! has observed the round: the engine knows which ones have (`explore/reductions/undoing.rs`). This file finds the
//! undoing additions, the *attempts* that they make up for (`Role::Attempts`), and the additions that are *blind*:
//! their result is not used (`Role::Blind`).
//!
//! Implements: \[SAVER\] section VI, definition 4 (canceling decrements).
//! Differs: the loop must have no exit after the undoing addition, and the result of that must be dead; the paper would
//! let a thread wait before a test that would have ended its loop. That the two additions are of the same location and
//! of opposite numbers is seen at run time.
//! Rounds that lock and unlock: `again`.

use super::assume::Analysis;
use super::{Effort, MOST_LOOKS};
use crate::bytecode::{BinOp, Function, Module, Op, Operand, Reg, RmwKind};
use crate::cfg::effects::writes_of;
use crate::cfg::{Cfg, is_loop_mark, is_silent};
use base::ReadOrder;
use program::Role;
use std::collections::{BTreeMap, BTreeSet};

/// Where an instruction is: its block, and its place in there.
type At = (usize, usize);

/// Give every addition of the module its role. None has one unless some round has zero net effect.
pub(super) fn give_roles(module: &mut Module) {
    let mut left = MOST_LOOKS;
    let roles: Vec<_> = module.functions.iter().map(|function| roles(function, &mut left)).collect();
    if roles.iter().flatten().any(|&(_, role)| role == Role::Undoes) {
        module.functions.iter_mut().zip(roles).for_each(|(function, roles)| function.roles = roles);
    }
}

/// The roles in a function; none, if it is not worth the effort.
fn roles(function: &Function, left: &mut usize) -> Vec<(u32, Role)> {
    if !function.code.iter().any(|&op| is_addition(op)) {
        return Vec::new();
    }
    let cfg = Cfg::new(function);
    if !matches!(Effort::of(function, &cfg, left), Effort::Idle | Effort::Full) {
        return Vec::new();
    }
    let analysis = Analysis::new(function, &cfg);
    let undone = undone(&analysis);
    let starts = crate::cfg::starts(function);
    let role = |at: At| match () {
        () if undone.contains_key(&at) => Some(Role::Undoes),
        () if analysis.is_blind(at) => Some(Role::Blind),
        () if undone.values().any(|&attempt| attempt == at) => Some(Role::Attempts),
        () => None,
    };
    let role = |at: At| Some(((starts[at.0] + at.1) as u32, role(at)?));
    let mut roles: Vec<_> = additions(&analysis).filter_map(role).collect();
    roles.sort_unstable_by_key(|&(pc, _)| pc);
    roles
}

/// All undoing additions, each with the attempt that it makes up for.
pub(super) fn undone(analysis: &Analysis<'_>) -> BTreeMap<At, At> {
    let bodies = analysis.loops.bodies().into_iter();
    let rounds: Vec<_> = bodies.map(|(header, body)| Round { analysis, header, body }).collect();
    let attempt = |at: At| rounds.iter().find_map(|round| round.attempt(at));
    let blind = additions(analysis).filter(|&at| analysis.is_blind(at));
    blind.filter_map(|at| Some((at, attempt(at)?))).collect()
}

fn additions(analysis: &Analysis<'_>) -> impl Iterator<Item = At> {
    let blocks = analysis.cfg.blocks.iter().enumerate();
    blocks.flat_map(|(block, it)| {
        it.ops.iter().enumerate().filter(|&(_, &op)| is_addition(op)).map(move |(at, _)| (block, at))
    })
}

fn size_of(access: Op) -> Option<u8> {
    match access {
        Op::Load { size, .. } | Op::Rmw { size, .. } => Some(size),
        _ => None,
    }
}

fn is_addition(op: Op) -> bool {
    matches!(op, Op::Rmw { kind: RmwKind::Add | RmwKind::Sub, .. })
}

impl Analysis<'_> {
    /// Whether the result of this addition is not used.
    fn is_blind(&self, (block, at): At) -> bool {
        let Op::Rmw { dst, .. } = self.cfg.blocks[block].ops[at] else { return false };
        !self.liveness.is_live_after(self.function, self.cfg, (block, at), dst)
    }
}

/// The rounds of the loop with this header.
struct Round<'a> {
    analysis: &'a Analysis<'a>,
    header: usize,
    body: BTreeSet<usize>,
}

impl Round<'_> {
    /// The addition that the one at `at` makes up for, if every round that passes there is without effect but for the
    /// two.
    fn attempt(&self, at: At) -> Option<At> {
        let undoes = self.body.contains(&at.0) && self.ends_after(at);
        undoes.then(|| self.one_addition_before(at)).flatten()
    }

    /// Whether from there on the thread does nothing that matters but go to the header, or wait. It may not come to
    /// that part of the round at all, so nothing may be wrong with it: it loads from the address of the addition only.
    fn ends_after(&self, at: At) -> bool {
        let cfg = self.analysis.cfg;
        let is_safe = |(block, i): At| match cfg.blocks[block].ops[i] {
            op @ Op::Load { .. } => {
                let same_size = size_of(op) == size_of(cfg.blocks[at.0].ops[at.1]);
                same_size && self.address((block, i)).is_some_and(|it| Some(it) == self.address(at))
            }
            _ => true,
        };
        let (mut seen, mut pending) = (BTreeSet::new(), vec![(at.0, at.1 + 1)]);
        while let Some((block, from)) = pending.pop() {
            let mut ops = cfg.blocks[block].ops.iter().enumerate().skip(from);
            if !ops.all(|(i, &op)| self.is_harmless(op) && is_safe((block, i))) {
                return false;
            }
            for to in cfg.successors(block).into_iter().filter(|&to| to != self.header) {
                let waits = matches!(cfg.blocks[to].last(), Op::SpinAssume { .. });
                if !waits && !self.body.contains(&to) {
                    return false;
                }
                if seen.insert(to) {
                    pending.push((to, 0));
                }
            }
        }
        true
    }

    /// The address of the access at `at`, if it is the same wherever it is computed in the loop: an operand that does
    /// not change there, and maybe another one, scaled, that is added to it right before the access.
    fn address(&self, at: At) -> Option<(Operand, Option<(Operand, i32)>)> {
        let ops = &self.analysis.cfg.blocks[at.0].ops[..=at.1];
        let (&access, before) = ops.split_last()?;
        let (Op::Load { address, .. } | Op::Rmw { address, .. }) = access else { return None };
        let assigns = |op: Op| matches!(address, Operand::Reg(register) if self.assigns(op, register));
        let (base, index) = match before.iter().rfind(|&&op| assigns(op)) {
            Some(&Op::Index { base, index, scale, .. }) => (base, Some((index, scale))),
            Some(&Op::Bin { op: BinOp::Add, width: 64, a, b, .. }) => (a, Some((b, 1))),
            Some(_) => return None,
            None => (address, None),
        };
        (self.is_fixed(base) && index.is_none_or(|(index, _)| self.is_fixed(index))).then_some((base, index))
    }

    /// Whether no instruction of the loop assigns the operand.
    fn is_fixed(&self, operand: Operand) -> bool {
        let Operand::Reg(register) = operand else { return true };
        let mut ops = self.body.iter().flat_map(|&block| &self.analysis.cfg.blocks[block].ops);
        !ops.any(|&op| self.assigns(op, register))
    }

    fn assigns(&self, op: Op, register: Reg) -> bool {
        let mut assigns = false;
        writes_of(self.analysis.function, op, |it| assigns |= it == register);
        assigns
    }

    /// The one addition on every way from the header to `at`, if there is nothing else that matters.
    fn one_addition_before(&self, at: At) -> Option<At> {
        let mut found = None;
        for block in self.before(at.0) {
            let ops = &self.analysis.cfg.blocks[block].ops;
            let end = if block == at.0 { at.1 } else { ops.len() };
            for (i, &op) in ops[..end].iter().enumerate() {
                let is_first =
                    is_addition(op) && self.assigns_dead(op) && found.replace((block, i)).is_none();
                if !is_first && !self.is_harmless(op) {
                    return None;
                }
            }
        }
        let is_once =
            |block| self.analysis.dominators.dominates(block, at.0) && !self.is_in_inner_loop(block);
        found.filter(|&(block, _)| is_once(block))
    }

    /// The blocks on the ways from the header to a block.
    fn before(&self, block: usize) -> BTreeSet<usize> {
        let predecessors = self.analysis.cfg.predecessors();
        let (mut found, mut pending) = (BTreeSet::from([block]), vec![block]);
        while let Some(here) = pending.pop() {
            if here != self.header {
                let before = predecessors[here].iter().filter(|it| self.body.contains(it));
                pending.extend(before.filter(|&&it| found.insert(it)));
            }
        }
        found
    }

    /// Whether a round can pass this block twice.
    fn is_in_inner_loop(&self, block: usize) -> bool {
        let (mut found, mut pending) = (BTreeSet::new(), vec![block]);
        while let Some(here) = pending.pop() {
            let after = self.analysis.cfg.successors(here).into_iter();
            let after = after.filter(|to| *to != self.header && self.body.contains(to));
            pending.extend(after.filter(|&to| found.insert(to)));
        }
        found.contains(&block)
    }

    /// Whether the instruction changes nothing, and neither ends nor fails. Waiting, and the marks for that, are
    /// neither.
    fn is_harmless(&self, op: Op) -> bool {
        let is_atomic_load = matches!(op, Op::Load { order, .. } if order != ReadOrder::NotAtomic);
        let asks = is_atomic_load || matches!(op, Op::Fence(_));
        (is_silent(op) || asks || is_loop_mark(op)) && self.assigns_dead(op)
    }

    /// Whether the instruction assigns only registers that are dead at the header.
    fn assigns_dead(&self, op: Op) -> bool {
        let live = self.analysis.liveness.at_start(self.header);
        let mut is_dead = true;
        if !matches!(op, Op::Unroll { .. }) {
            writes_of(self.analysis.function, op, |register: Reg| is_dead &= !live.contains(register));
        }
        is_dead
    }
}
