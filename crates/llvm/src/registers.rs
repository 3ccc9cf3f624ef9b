//! Register allocation: from virtual registers to as few real ones as possible.
//!
//! The engine copies a thread's frames at every event, so a register that need not exist is time. Liveness by
//! iteration over basic blocks, an interference graph, moves coalesced where their two ends do not interfere, and
//! greedy colouring in the order of first definition (optimal for code in SSA form, whose graphs are chordal;
//! phis and coalescing make it almost so). Parameters keep the registers `0..parameters`.
//!
//! Cost: O(definitions × registers / 64) for the graph.

use std::collections::BTreeSet;
use vm::bytecode::{Function, Op, Operand, Reg};
use vm::cfg::effects::{is_pure, reads, successors, visit, writes};

/// A set of registers.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Set(Vec<u64>);

impl Set {
    fn new(size: usize) -> Set {
        Set(vec![0; size.div_ceil(64)])
    }

    fn insert(&mut self, register: Reg) {
        self.0[usize::from(register.0) / 64] |= 1 << (register.0 % 64);
    }

    fn remove(&mut self, register: Reg) {
        self.0[usize::from(register.0) / 64] &= !(1 << (register.0 % 64));
    }

    fn contains(&self, register: Reg) -> bool {
        self.0[usize::from(register.0) / 64] >> (register.0 % 64) & 1 != 0
    }

    /// Add all of `other`; says if any was new.
    fn union(&mut self, other: &Set) -> bool {
        let mut changed = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            changed |= *b & !*a != 0;
            *a |= b;
        }
        changed
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            let mut bits = bits;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some(word as u32 * 64 + bit)
            })
        })
    }
}

/// Basic blocks as ranges of the code, and what is live at the end of each.
struct Liveness {
    blocks: Vec<(usize, usize)>,
    live_out: Vec<Set>,
}

impl Liveness {
    fn new(function: &Function) -> Liveness {
        let blocks = blocks(function);
        let size = usize::from(function.registers);
        let mut start_of = vec![usize::MAX; function.code.len()];
        blocks.iter().enumerate().for_each(|(index, &(start, _))| start_of[start] = index);
        let mut live_in = vec![Set::new(size); blocks.len()];
        let mut live_out = live_in.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for (index, &(start, end)) in blocks.iter().enumerate().rev() {
                successors(function, end - 1, |to| {
                    live_out[index].union(&live_in[start_of[to]]);
                });
                let mut live = live_out[index].clone();
                (start..end).rev().for_each(|pc| step_back(function, pc, &mut live));
                changed |= live_in[index].union(&live);
            }
        }
        Liveness { blocks, live_out }
    }

    /// Visit all instructions, last first in each block, with what is live after each.
    fn visit(&self, function: &Function, mut at: impl FnMut(usize, &Set)) {
        for (&(start, end), out) in self.blocks.iter().zip(&self.live_out) {
            let mut live = out.clone();
            for pc in (start..end).rev() {
                at(pc, &live);
                step_back(function, pc, &mut live);
            }
        }
    }
}

/// From what is live after an instruction to what is live before it.
fn step_back(function: &Function, pc: usize, live: &mut Set) {
    writes(function, pc, |register| live.remove(register));
    reads(function, pc, |register| live.insert(register));
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
        let mut dead = Vec::new();
        Liveness::new(function).visit(function, |pc, live| {
            let mut is_needed = !is_pure(function.code[pc]) || is_nothing(function.code[pc]);
            writes(function, pc, |register| is_needed |= live.contains(register));
            if !is_needed {
                dead.push(pc);
            }
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
    /// Per register, its neighbours; only representatives have any.
    edges: Vec<BTreeSet<u32>>,
    /// Coalesced registers point to their representative.
    parent: Vec<u32>,
    /// The registers below are parameters, and stay where they are.
    parameters: u32,
}

impl Interference {
    fn new(function: &Function) -> Interference {
        let size = usize::from(function.registers);
        let parameters = u32::from(function.parameters);
        let mut graph = Interference {
            edges: vec![BTreeSet::new(); size],
            parent: (0..size as u32).collect(),
            parameters,
        };
        for a in 0..parameters {
            (0..a).for_each(|b| graph.connect(a, b));
        }
        Liveness::new(function).visit(function, |pc, live| {
            let copied = match function.code[pc] {
                Op::Move { a: Operand::Reg(source), .. } => Some(u32::from(source.0)),
                _ => None,
            };
            let mut written = Vec::new();
            writes(function, pc, |register| written.push(u32::from(register.0)));
            for &register in &written {
                // After a move both ends hold the same value.
                let others = live.iter().filter(|&other| Some(other) != copied);
                others.chain(written.iter().copied()).for_each(|other| graph.connect(register, other));
            }
        });
        graph
    }

    fn connect(&mut self, a: u32, b: u32) {
        if a != b {
            self.edges[a as usize].insert(b);
            self.edges[b as usize].insert(a);
        }
    }

    fn find(&self, mut register: u32) -> u32 {
        while self.parent[register as usize] != register {
            register = self.parent[register as usize];
        }
        register
    }

    /// Make the two ends of a move one register, if they are never live at the same time.
    fn coalesce(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller one stays: parameters come first. Two parameters interfere.
        let (stays, goes) = (a.min(b), a.max(b));
        if stays == goes || self.edges[stays as usize].contains(&goes) {
            return;
        }
        debug_assert!(goes >= self.parameters);
        for neighbour in std::mem::take(&mut self.edges[goes as usize]) {
            self.edges[neighbour as usize].remove(&goes);
            self.connect(stays, neighbour);
        }
        self.parent[goes as usize] = stays;
    }
}

/// Give each register its real one.
pub(crate) fn allocate(function: &mut Function) {
    let mut graph = Interference::new(function);
    for pc in 0..function.code.len() {
        if let Op::Move { dst, a: Operand::Reg(source) } = function.code[pc] {
            graph.coalesce(u32::from(dst.0), u32::from(source.0));
        }
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
    for register in order {
        if colours[register as usize].is_none() {
            let taken: BTreeSet<u16> =
                graph.edges[register as usize].iter().filter_map(|&other| colours[other as usize]).collect();
            let free = (0..=u16::MAX).find(|colour| !taken.contains(colour));
            colours[register as usize] = free;
        }
    }
    colours
}
