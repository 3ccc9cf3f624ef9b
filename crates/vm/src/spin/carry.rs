//! Compare-exchange loops that carry the value that they read: `old = x; while (!cas(&x, &old, f(old)));`.
//!
//! A failed attempt has read the value that the next one expects. The load before the loop might have read it just as
//! well, and then there would have been no rounds up to that failure. So the loop is equivalent to one that loads anew
//! in each round: a failed attempt goes back to the load, and the backedge is cut, as any that is without effect.
//!
//! Implements: [SAVER] section IV, bisimilarity: after the failure and after a load that reads the same the thread is
//! in the same state. There the two ends of code must be the same; here one is a load and the other an attempt that
//! failed.
//! Side conditions: every way back to the header is such a failure, and after the change is without effect (definition
//! 3); the load is the only way into the loop; and its order is no stronger than that of the failure, for the failed
//! attempt takes its place. Events only get fewer and weaker then, so that every model allows the rest.
//! Not found: rounds that carry the value in memory, and loads that are tested before the loop starts.

use super::assume::Analysis;
use super::failing::{Known, MOST_STATES, Outcome};
use super::places::{Address, is_written_by};
use crate::bytecode::{Constant, Function, Op, Operand, Reg};
use crate::cfg::effects::writes_of;
use crate::cfg::{BackEdge, Block, Cfg, is_arithmetic, is_silent};
use base::ReadOrder;
use std::collections::{BTreeMap, BTreeSet};

/// Let failed attempts go back to the load where they are cut then.
pub(super) fn carry(function: &Function, mut cfg: Cfg) -> Cfg {
    while let Some(changed) = carry_once(function, &cfg) {
        cfg = changed;
    }
    cfg
}

fn carry_once(function: &Function, cfg: &Cfg) -> Option<Cfg> {
    let analysis = Analysis::new(function, cfg);
    let bodies = analysis.loops.bodies();
    bodies.iter().find_map(|(&header, body)| {
        let edges: Vec<_> = analysis.loops.to(header).iter().collect();
        let load = LoadBefore::find(&analysis, header, body)?;
        let goes_back = |edge: &&BackEdge| {
            !analysis.is_effect_free(edge) && Attempts { analysis: &analysis, load: &load, edge }.hand_over()
        };
        if !edges.iter().all(goes_back) {
            return None;
        }
        let (changed, start) = load.redirect(cfg, &edges);
        are_cut(function, &changed, start).then_some(changed)
    })
}

/// Whether every way back to this header is without effect.
fn are_cut(function: &Function, cfg: &Cfg, header: usize) -> bool {
    let analysis = Analysis::new(function, cfg);
    let edges = analysis.loops.to(header);
    !edges.is_empty() && edges.iter().all(|edge| analysis.is_effect_free(edge))
}

/// An atomic load that every way into a loop ends with; arithmetic may follow.
struct LoadBefore {
    block: usize,
    /// Where in the block.
    at: usize,
    order: ReadOrder,
    size: u8,
    dst: Reg,
    address: Address,
    /// The instructions after it, but for the jump to the header.
    then: Vec<Op>,
}

impl LoadBefore {
    fn find(analysis: &Analysis<'_>, header: usize, body: &BTreeSet<usize>) -> Option<LoadBefore> {
        let predecessors = analysis.cfg.predecessors();
        let is_entry = |from: &&usize| !body.contains(from) && analysis.dominators.is_reached(**from);
        let entries: Vec<usize> = predecessors[header].iter().filter(is_entry).copied().collect();
        let [block] = entries[..] else { return None };
        let (last, before) = analysis.cfg.blocks[block].ops.split_last()?;
        let at = before.iter().rposition(|&op| !is_arithmetic(op))?;
        let Op::Load { size, order, dst, address, .. } = before[at] else { return None };
        let is_fit = matches!(last, Op::Jump(_)) && order != ReadOrder::NotAtomic;
        let address = Address::new(analysis.function, &before[..at], address);
        let then = before[at + 1..].to_vec();
        let load = LoadBefore { block, at, order, size, dst, address, then };
        (is_fit && load.is_elsewhere(analysis, body)).then_some(load)
    }

    /// The graph in which these backedges lead to the load, which is a block of its own; and the number of that.
    fn redirect(&self, cfg: &Cfg, edges: &[&BackEdge]) -> (Cfg, usize) {
        let mut cfg = cfg.clone();
        let block = &mut cfg.blocks[self.block];
        let (ops, sites) = (block.ops.split_off(self.at), block.sites.split_off(self.at));
        let site = sites[0];
        let start = cfg.add(Block { ops, sites });
        cfg.blocks[self.block].ops.push(Op::Jump(start as u32));
        cfg.blocks[self.block].sites.push(site);
        edges.iter().for_each(|edge| cfg.redirect(edge.from, edge.header, start));
        (cfg, start)
    }

    /// The registers of the value and of the success of the compare-exchange after these instructions, if it reads the
    /// same place, with no weaker order when it fails.
    fn is_read_by(&self, function: &Function, before: &[Op], op: Op) -> Option<(Reg, Reg)> {
        let Op::CompareExchange { size, failure, address, dst, success, .. } = op else { return None };
        let is_same = size == self.size && Address::new(function, before, address) == self.address;
        (is_same && failure >= self.order).then_some((dst, success))
    }

    /// Whether the register of the address is never written from the load to the end of the loop.
    fn is_elsewhere(&self, analysis: &Analysis<'_>, body: &BTreeSet<usize>) -> bool {
        let Operand::Reg(base) = self.address.base else { return true };
        let in_body = body.iter().flat_map(|&block| &analysis.cfg.blocks[block].ops);
        base != self.dst && !in_body.chain(&self.then).any(|&op| is_written_by(analysis.function, op, base))
    }
}

/// The value of a register after a failed attempt.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Value {
    /// The value that the attempt has read.
    Read,
    /// A number.
    Number(u64),
    /// The value of this register when the attempt was made.
    Was(Reg),
    Unknown,
}

/// The values of all registers; one that is not mentioned has not changed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct Values(BTreeMap<Reg, Value>);

impl Values {
    fn get(&self, register: Reg) -> Value {
        self.0.get(&register).copied().unwrap_or(Value::Was(register))
    }

    fn of(&self, function: &Function, operand: Operand) -> Value {
        match operand {
            Operand::Reg(register) => self.get(register),
            Operand::Const(index) => match function.constants[usize::from(index)] {
                Constant::Value(number) => Value::Number(number),
                _ => Value::Unknown,
            },
        }
    }

    fn after(mut self, function: &Function, op: Op) -> Values {
        let moved = match op {
            Op::Move { dst, a } => Some((dst, self.of(function, a))),
            _ => None,
        };
        writes_of(function, op, |register| {
            self.0.insert(register, Value::Unknown);
        });
        self.0.extend(moved);
        self
    }
}

/// The attempts of the rounds that end with a backedge.
struct Attempts<'a> {
    analysis: &'a Analysis<'a>,
    load: &'a LoadBefore,
    edge: &'a BackEdge,
}

impl Attempts<'_> {
    /// Whether every round ends with a failed attempt after which the thread is where the load would have brought it.
    fn hand_over(&self) -> bool {
        let blocks = self.edge.body.iter().copied();
        let in_every_round = blocks.filter(|&it| self.analysis.dominators.dominates(it, self.edge.from));
        in_every_round.into_iter().any(|block| {
            let ops = &self.analysis.cfg.blocks[block].ops;
            (0..ops.len()).any(|at| self.hands_over(block, at))
        })
    }

    /// Whether the thread is there after this instruction, on all ways to the backedge on which it has failed.
    fn hands_over(&self, block: usize, at: usize) -> bool {
        let (before, from) = self.analysis.cfg.blocks[block].ops.split_at(at);
        let Some((dst, success)) = self.load.is_read_by(self.analysis.function, before, from[0]) else {
            return false;
        };
        let values = Values(BTreeMap::from([(dst, Value::Read), (success, Value::Number(0))]));
        let (mut seen, mut pending) = (BTreeSet::new(), vec![(block, at + 1, Known::of(success), values)]);
        while let Some(place) = pending.pop() {
            if !seen.insert(place.clone()) {
                continue;
            }
            if seen.len() > MOST_STATES {
                return false;
            }
            let (block, from, mut known, mut values) = place;
            let (function, cfg) = (self.analysis.function, self.analysis.cfg);
            for &op in &cfg.blocks[block].ops[from..] {
                if !is_silent(op) && !matches!(op, Op::Unroll { .. }) {
                    return false;
                }
                (known, values) = (known.after(function, op), values.after(function, op));
            }
            for to in cfg.successors(block) {
                if known.needed(cfg.blocks[block].last(), to) == Some(Outcome::Succeeded) {
                    continue;
                }
                if (block, to) == (self.edge.from, self.edge.header) && !self.is_as_after_load(&values) {
                    return false;
                }
                if self.edge.body.contains(&to) && to != self.edge.header {
                    pending.push((to, 0, known.clone(), values.clone()));
                }
            }
        }
        true
    }

    /// Whether the load, had it read the same value, and the instructions after it would leave every live register as
    /// it is.
    fn is_as_after_load(&self, now: &Values) -> bool {
        let (function, live) = (self.analysis.function, self.analysis.liveness.at_start(self.edge.header));
        let loaded = Values({ now.0.clone().into_iter() }.chain([(self.load.dst, Value::Read)]).collect());
        let then = self.load.then.iter().fold(loaded, |values, &op| values.after(function, op));
        let is_same = |register: Reg| {
            !live.contains(register)
                || (now.get(register) == then.get(register) && now.get(register) != Value::Unknown)
        };
        let mut all_same = is_same(self.load.dst);
        for &op in &self.load.then {
            writes_of(function, op, |register| all_same &= is_same(register));
        }
        all_same
    }
}
