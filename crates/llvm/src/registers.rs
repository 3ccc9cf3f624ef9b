//! Register allocation: from virtual registers to as few real ones as possible.
//!
//! The engine copies a thread's frames at every event, so a register that need not exist is time. Liveness by
//! going back from each use, an interference graph, moves coalesced where their two ends do not interfere, and
//! greedy colouring in the order of first definition (optimal for code in SSA form, whose graphs are chordal;
//! phis and coalescing make it almost so). Parameters keep the registers `0..parameters`.
//!
//! Cost: the number of pairs of registers that are live at the same time. Where there are too many of either, registers stay as
//! they are, which changes nothing but the time and the memory that frames take.

use std::collections::BTreeSet;
use vm::bytecode::{Function, Op, Operand, Reg};
use vm::cfg::effects::{is_pure, reads, successors, visit, writes};

/// More registers that are live at the ends of blocks, all together, are not kept.
const MOST_LIVE: usize = 1 << 23;
/// Nor are more pairs of registers that are live at the same time. About a hundred MB, as above.
const MOST_PAIRS: usize = 1 << 23;

/// A set of registers that can be gone through, added to and taken from in no time.
struct Live {
    members: Vec<u32>,
    /// Per register its place among the members, plus 1; 0: it is none.
    place: Vec<u32>,
}

impl Live {
    fn new(registers: u16) -> Live {
        Live { members: Vec::new(), place: vec![0; usize::from(registers)] }
    }

    fn reset(&mut self, members: &[u32]) {
        self.members.drain(..).for_each(|register| self.place[register as usize] = 0);
        members.iter().for_each(|&register| self.insert(register));
    }

    fn insert(&mut self, register: u32) {
        if self.place[register as usize] == 0 {
            self.members.push(register);
            self.place[register as usize] = self.members.len() as u32;
        }
    }

    fn remove(&mut self, register: u32) {
        let place = std::mem::take(&mut self.place[register as usize]) as usize;
        if place > 0 {
            self.members.swap_remove(place - 1);
            if let Some(&moved) = self.members.get(place - 1) {
                self.place[moved as usize] = place as u32;
            }
        }
    }

    fn contains(&self, register: Reg) -> bool {
        self.place[usize::from(register.0)] > 0
    }

    /// From what is live after an instruction to what is live before it.
    fn step_back(&mut self, function: &Function, pc: usize) {
        writes(function, pc, |register| self.remove(register.0.into()));
        reads(function, pc, |register| self.insert(register.0.into()));
    }
}

/// Basic blocks as ranges of the code, and what is live at the end of each.
struct Liveness {
    blocks: Vec<(usize, usize)>,
    live_out: Vec<Vec<u32>>,
}

impl Liveness {
    /// Each register is followed from the blocks that read it before they write it, back to those that write it; `None` if that
    /// takes too long.
    fn new(function: &Function) -> Option<Liveness> {
        let blocks = blocks(function);
        let predecessors = predecessors(function, &blocks);
        let (read, written) = read_and_written(function, &blocks);
        let mut liveness = Liveness { live_out: vec![Vec::new(); blocks.len()], blocks };
        let (mut room, mut written) = (MOST_LIVE, written.into_iter().peekable());
        // The last register that was found to be written in a block, and to be live at its end.
        let (mut kills, mut is_out) =
            (vec![u32::MAX; predecessors.len()], vec![u32::MAX; predecessors.len()]);
        let mut pending: Vec<u32> = Vec::new();
        for (register, block) in read {
            while let Some((register, block)) = written.next_if(|&(other, _)| other <= register) {
                kills[block as usize] = register;
            }
            pending.push(block);
            while let Some(block) = pending.pop() {
                for &before in &predecessors[block as usize] {
                    if std::mem::replace(&mut is_out[before as usize], register) != register {
                        liveness.live_out[before as usize].push(register);
                        room = room.checked_sub(1)?;
                        if kills[before as usize] != register {
                            pending.push(before);
                        }
                    }
                }
            }
        }
        Some(liveness)
    }

    /// Visit all instructions, last first in each block, with what is live after each. One that is not needed, as `at` says,
    /// does not make live what it reads.
    fn visit(&self, function: &Function, mut at: impl FnMut(usize, &Live) -> bool) {
        let mut live = Live::new(function.registers);
        for (&(start, end), out) in self.blocks.iter().zip(&self.live_out) {
            live.reset(out);
            for pc in (start..end).rev() {
                if at(pc, &live) {
                    live.step_back(function, pc);
                }
            }
        }
    }
}

fn predecessors(function: &Function, blocks: &[(usize, usize)]) -> Vec<Vec<u32>> {
    let mut start_of = vec![usize::MAX; function.code.len()];
    blocks.iter().enumerate().for_each(|(index, &(start, _))| start_of[start] = index);
    let mut predecessors = vec![Vec::new(); blocks.len()];
    for (index, &(_, end)) in blocks.iter().enumerate() {
        successors(function, end - 1, |to| predecessors[start_of[to]].push(index as u32));
    }
    predecessors
}

/// Registers with a block, in order.
type InBlocks = Vec<(u32, u32)>;

/// The registers that a block reads before it writes them, and those that it writes.
fn read_and_written(function: &Function, blocks: &[(usize, usize)]) -> (InBlocks, InBlocks) {
    let (mut read, mut written) = (InBlocks::new(), InBlocks::new());
    let mut last = vec![u32::MAX; usize::from(function.registers)];
    for (block, &(start, end)) in blocks.iter().enumerate() {
        let block = block as u32;
        for pc in start..end {
            reads(function, pc, |register| {
                if last[usize::from(register.0)] != block {
                    read.push((register.0.into(), block));
                }
            });
            writes(function, pc, |register| {
                if std::mem::replace(&mut last[usize::from(register.0)], block) != block {
                    written.push((register.0.into(), block));
                }
            });
        }
    }
    read.sort_unstable();
    read.dedup();
    written.sort_unstable();
    (read, written)
}

fn blocks(function: &Function) -> Vec<(usize, usize)> {
    let mut starts = BTreeSet::from([0, function.code.len()]);
    for pc in 0..function.code.len() {
        let mut is_jump = false;
        successors(function, pc, |to| {
            if to != pc + 1 {
                starts.insert(to);
                is_jump = true;
            }
        });
        let ends = matches!(
            function.code[pc],
            Op::Jump(_)
                | Op::Branch { .. }
                | Op::Switch { .. }
                | Op::Landing { .. }
                | Op::Return { .. }
                | Op::Unreachable
                | Op::Refuse(_)
        );
        if is_jump || ends {
            starts.insert(pc + 1);
        }
    }
    // A branch to what comes next starts a block there as well: `ends` has done so.
    let starts: Vec<usize> = starts.into_iter().filter(|&start| start <= function.code.len()).collect();
    starts.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Leave out instructions that nobody needs (by making them moves to themselves, which `layout` drops).
pub(crate) fn drop_dead(function: &mut Function) {
    let mut changed = true;
    while changed {
        changed = false;
        let Some(liveness) = Liveness::new(function) else { return };
        let mut dead = Vec::new();
        liveness.visit(function, |pc, live| {
            let mut is_needed = !is_pure(function.code[pc]) || is_nothing(function.code[pc]);
            writes(function, pc, |register| is_needed |= live.contains(register));
            if !is_needed {
                dead.push(pc);
            }
            is_needed
        });
        for pc in dead {
            changed = true;
            let mut register = Reg(0);
            writes(function, pc, |written| register = written);
            function.code[pc] = Op::Move { dst: register, a: Operand::Reg(register) };
        }
        crate::layout::compact(function);
    }
}

fn is_nothing(op: Op) -> bool {
    matches!(op, Op::Move { dst, a } if a == Operand::Reg(dst))
}

/// Which registers are live at the same time.
struct Interference {
    /// Per register, its neighbours, some more than once; those of coalesced registers are with their representative.
    edges: Vec<Vec<u32>>,
    /// Coalesced registers point to their representative.
    parent: Vec<u32>,
    /// The registers below are parameters, and stay where they are.
    parameters: u32,
}

impl Interference {
    /// `None` if there are too many pairs.
    fn new(function: &Function) -> Option<Interference> {
        let size = usize::from(function.registers);
        let parameters = u32::from(function.parameters);
        let mut graph =
            Interference { edges: vec![Vec::new(); size], parent: (0..size as u32).collect(), parameters };
        for a in 0..parameters {
            (0..a).for_each(|b| graph.connect(a, b));
        }
        let mut room = Some(MOST_PAIRS);
        Liveness::new(function)?.visit(function, |pc, live| {
            let copied = match function.code[pc] {
                Op::Move { a: Operand::Reg(source), .. } => Some(u32::from(source.0)),
                _ => None,
            };
            let mut written = Vec::new();
            writes(function, pc, |register| written.push(u32::from(register.0)));
            room = room.and_then(|room| room.checked_sub(written.len() * live.members.len()));
            for &register in written.iter().filter(|_| room.is_some()) {
                // After a move both ends hold the same value.
                let others = live.members.iter().copied().filter(|&other| Some(other) != copied);
                others.chain(written.iter().copied()).for_each(|other| graph.connect(register, other));
            }
            true
        });
        room.map(|_| graph)
    }

    fn connect(&mut self, a: u32, b: u32) {
        if a != b {
            self.edges[a as usize].push(b);
            self.edges[b as usize].push(a);
        }
    }

    fn find(&self, mut register: u32) -> u32 {
        while self.parent[register as usize] != register {
            register = self.parent[register as usize];
        }
        register
    }

    /// Whether the two, which are representatives, are live at the same time.
    fn are_connected(&self, a: u32, b: u32) -> bool {
        let (few, other) =
            if self.edges[a as usize].len() < self.edges[b as usize].len() { (a, b) } else { (b, a) };
        self.edges[few as usize].iter().any(|&neighbour| self.find(neighbour) == other)
    }

    /// Make the two ends of a move one register, if they are never live at the same time.
    fn coalesce(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller one stays: parameters come first. Two parameters interfere.
        let (stays, goes) = (a.min(b), a.max(b));
        if stays == goes || self.are_connected(stays, goes) {
            return;
        }
        debug_assert!(goes >= self.parameters);
        let mut few = std::mem::take(&mut self.edges[goes as usize]);
        if few.len() > self.edges[stays as usize].len() {
            std::mem::swap(&mut few, &mut self.edges[stays as usize]);
        }
        self.edges[stays as usize].append(&mut few);
        self.parent[goes as usize] = stays;
    }
}

/// Give each register its real one. In a function in which too many are live at the same time each keeps its own.
pub(crate) fn allocate(function: &mut Function) {
    let Some(mut graph) = Interference::new(function) else { return };
    for pc in 0..function.code.len() {
        if let Op::Move { dst, a: Operand::Reg(source) } = function.code[pc] {
            graph.coalesce(u32::from(dst.0), u32::from(source.0));
        }
    }
    // From the front: a representative comes before those that it stands for.
    for register in 0..graph.parent.len() {
        graph.parent[register] = graph.parent[graph.parent[register] as usize];
    }
    let colours = colour(function, &graph);
    let rename = |register: &mut Reg| {
        let representative = graph.find(u32::from(register.0));
        // A register that is only in lists of code that went has no colour, and needs none.
        *register = Reg(colours[representative as usize].unwrap_or(0));
    };
    let rename_operand = |operand: &mut Operand| {
        if let Operand::Reg(register) = operand {
            rename(register);
        }
    };
    for op in &mut function.code {
        visit(op, rename_operand, rename);
    }
    function.operands.iter_mut().for_each(rename_operand);
    function.registers_list.iter_mut().for_each(rename);
    let most = colours.iter().flatten().max().map_or(0, |&colour| colour + 1);
    function.registers = most.max(function.parameters);
}

fn colour(function: &Function, graph: &Interference) -> Vec<Option<u16>> {
    let mut colours: Vec<Option<u16>> = vec![None; graph.edges.len()];
    for parameter in 0..function.parameters {
        colours[usize::from(parameter)] = Some(parameter);
    }
    let mut order = Vec::new();
    for pc in 0..function.code.len() {
        writes(function, pc, |register| order.push(graph.find(u32::from(register.0))));
        reads(function, pc, |register| order.push(graph.find(u32::from(register.0))));
    }
    // Per colour the last register with a neighbour of that colour.
    let mut taken: Vec<Option<u32>> = vec![None; usize::from(u16::MAX) + 1];
    for register in order {
        if colours[register as usize].is_none() {
            for &other in &graph.edges[register as usize] {
                if let Some(colour) = colours[graph.find(other) as usize] {
                    taken[usize::from(colour)] = Some(register);
                }
            }
            let free = (0..=u16::MAX).find(|&colour| taken[usize::from(colour)] != Some(register));
            colours[register as usize] = free;
        }
    }
    colours
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Rng;
    use vm::bytecode::List;

    /// Code that writes all registers, and then reads them all: each is live as long as all others.
    fn crowded(registers: u16) -> Function {
        let all = || (0..registers).map(Reg);
        let write = |dst| Op::ThreadLocal { dst, global: vm::bytecode::GlobalId(0) };
        let read = |(a, at)| Op::Branch { condition: Operand::Reg(a), then: at + 1, otherwise: at + 1 };
        let mut code: Vec<Op> = all().map(write).collect();
        code.extend(all().zip(u32::from(registers)..).map(read));
        code.push(Op::Return { values: List { first: 0, len: 0 } });
        let sites = vec![base::Site::default(); code.len()];
        Function { registers, code, sites, ..Function::default() }
    }

    #[test]
    fn registers_stay_as_they_are_if_there_are_too_many_at_a_time() {
        for registers in [100, 2000, 10_000] {
            let mut function = crowded(registers);
            let before = function.clone();
            allocate(&mut function);
            assert_eq!((function.registers, function.code), (before.registers, before.code));
        }
        assert!(Interference::new(&crowded(2000)).is_some());
        assert!(Interference::new(&crowded(10_000)).is_none());
    }

    /// The definition: there is a path from the end of the block to a read on which the register is not written.
    fn is_live_by_definition(function: &Function, end: usize, register: Reg) -> bool {
        let (mut seen, mut pending) = (vec![false; function.code.len()], Vec::new());
        successors(function, end - 1, |to| pending.push(to));
        while let Some(pc) = pending.pop() {
            let (mut is_read, mut is_written) = (false, std::mem::replace(&mut seen[pc], true));
            reads(function, pc, |it| is_read |= it == register && !is_written);
            writes(function, pc, |it| is_written |= it == register);
            if is_read {
                return true;
            }
            if !is_written {
                successors(function, pc, |to| pending.push(to));
            }
        }
        false
    }

    #[test]
    fn live_registers_are_those_of_the_definition() {
        let mut rng = Rng::new(1);
        for _ in 0..500 {
            let mut op = || match rng.below(3) {
                0 => Op::Branch {
                    condition: Operand::Reg(Reg(rng.below(5) as u16)),
                    then: rng.below(20) as u32,
                    otherwise: rng.below(20) as u32,
                },
                _ => Op::Move { dst: Reg(rng.below(5) as u16), a: Operand::Reg(Reg(rng.below(5) as u16)) },
            };
            let mut code: Vec<Op> = (0..19).map(|_| op()).collect();
            code.push(Op::Unreachable);
            let function = Function { registers: 5, code, ..Function::default() };
            let Liveness { blocks, live_out } = Liveness::new(&function).expect("it is small");
            for (&(_, end), live) in blocks.iter().zip(&live_out) {
                for register in 0..5u16 {
                    let expected = is_live_by_definition(&function, end, Reg(register));
                    assert_eq!(
                        live.contains(&u32::from(register)),
                        expected,
                        "{register} at {end}: {function:?}"
                    );
                }
            }
        }
    }
}
