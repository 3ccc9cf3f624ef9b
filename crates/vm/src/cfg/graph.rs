//! The control-flow graph: basic blocks that end in an explicit jump, so that they can be moved, copied and redirected.
//!
//! Implements: [SAVER] section II-A, with blocks instead of single instructions as nodes. A condition stays the last
//! instruction of its block; the paper labels the two edges with `assume(e)` and `assume(!e)`.

use super::effects::falls_through;
use crate::bytecode::{Function, Op, Switch};
use base::Site;
use smallvec::{SmallVec, smallvec};

/// Instructions that are run one after the other, with their sites.
///
/// # Invariants
/// Not empty; the last instruction, and no other, says where to go on or that nothing comes after it. Its targets are
/// numbers of blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) ops: Vec<Op>,
    pub(crate) sites: Vec<Site>,
}

impl Block {
    /// One instruction that nothing comes after.
    pub(crate) fn of(op: Op, site: Site) -> Block {
        Block { ops: vec![op], sites: vec![site] }
    }

    /// The instruction that says where to go on.
    pub(crate) fn last(&self) -> Op {
        *self.ops.last().expect("a block is not empty")
    }

    pub(crate) fn last_site(&self) -> Site {
        *self.sites.last().expect("a block is not empty")
    }

    /// Put an instruction before the one that is at `index`.
    pub(crate) fn insert(&mut self, index: usize, op: Op) {
        self.ops.insert(index, op);
        self.sites.insert(index, self.sites[index]);
    }
}

/// The blocks of a function; the first is where it starts.
#[derive(Clone, Debug)]
pub(crate) struct Cfg {
    pub(crate) blocks: Vec<Block>,
    /// The tables of the switches, whose targets are numbers of blocks, too.
    switches: Vec<Switch>,
}

impl Cfg {
    /// Cut the code of a function into blocks.
    pub(crate) fn new(function: &Function) -> Cfg {
        let starts = starts(function);
        let mut number = vec![0; function.code.len()];
        starts.iter().enumerate().for_each(|(block, &start)| number[start] = block as u32);
        let mut cfg = Cfg { blocks: Vec::new(), switches: function.switches.clone() };
        for (block, &start) in starts.iter().enumerate() {
            let end = starts.get(block + 1).copied().unwrap_or(function.code.len());
            let mut ops = function.code[start..end].to_vec();
            let mut sites = function.sites[start..end].to_vec();
            map_targets(ops.last_mut().expect("a block is not empty"), |to| number[to as usize]);
            if falls_through(function.code[end - 1]) {
                ops.push(Op::Jump(block as u32 + 1));
                sites.push(function.sites[end - 1]);
            }
            cfg.blocks.push(Block { ops, sites });
        }
        for switch in &mut cfg.switches {
            map_switch(switch, |to| number[to as usize]);
        }
        cfg
    }

    /// Where a block goes, each target once.
    pub(crate) fn successors(&self, block: usize) -> SmallVec<[usize; 2]> {
        let mut found: SmallVec<[usize; 2]> = match self.blocks[block].last() {
            Op::Jump(to) => smallvec![to as usize],
            Op::Branch { then, otherwise, .. } | Op::Landing { normal: then, pad: otherwise, .. } => {
                smallvec![then as usize, otherwise as usize]
            }
            Op::Switch { table, .. } => {
                let switch = &self.switches[table as usize];
                let targets = switch.cases.iter().map(|case| case.1).chain([switch.default]);
                targets.map(|to| to as usize).collect()
            }
            _ => SmallVec::new(),
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Where a block whose condition has this value goes.
    pub(crate) fn decide(&self, block: usize, value: u64) -> Option<usize> {
        let to = match self.blocks[block].last() {
            Op::Branch { then, otherwise, .. } => {
                if value != 0 {
                    then
                } else {
                    otherwise
                }
            }
            Op::Switch { table, .. } => {
                let switch = &self.switches[table as usize];
                switch.cases.iter().find(|case| case.0 == value).map_or(switch.default, |case| case.1)
            }
            _ => return None,
        };
        Some(to as usize)
    }

    /// The predecessors of each block.
    pub(crate) fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new(); self.blocks.len()];
        for block in 0..self.blocks.len() {
            self.successors(block).into_iter().for_each(|to| found[to].push(block));
        }
        found
    }

    /// The blocks that can be reached, each before those it goes to unless a loop leads back.
    pub(crate) fn reverse_postorder(&self) -> Vec<usize> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::new();
        let mut stack = vec![(0, self.successors(0))];
        seen[0] = true;
        while let Some((block, rest)) = stack.last_mut() {
            match rest.pop() {
                Some(to) if !std::mem::replace(&mut seen[to], true) => stack.push((to, self.successors(to))),
                Some(_) => {}
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// One more block. Its number.
    pub(crate) fn add(&mut self, mut block: Block) -> usize {
        // Two blocks must not share a table: one of them may be redirected later.
        if let Some(Op::Switch { table, .. }) = block.ops.last_mut() {
            self.switches.push(self.switches[*table as usize].clone());
            *table = self.switches.len() as u32 - 1;
        }
        self.blocks.push(block);
        self.blocks.len() - 1
    }

    /// Every edge from `block` to `old` goes to `new` instead.
    pub(crate) fn redirect(&mut self, block: usize, old: usize, new: usize) {
        let map = |to| if to as usize == old { new as u32 } else { to };
        let last = self.blocks[block].ops.last_mut().expect("a block is not empty");
        map_targets(last, map);
        if let Op::Switch { table, .. } = *last {
            map_switch(&mut self.switches[table as usize], map);
        }
    }

    /// Make the blocks that can be reached the code of the function, in their order.
    pub(crate) fn write_back(mut self, function: &mut Function) {
        let mut is_reached = vec![false; self.blocks.len()];
        self.reverse_postorder().into_iter().for_each(|block| is_reached[block] = true);
        let order: Vec<usize> = (0..self.blocks.len()).filter(|&block| is_reached[block]).collect();
        for pair in order.windows(2) {
            let block = &mut self.blocks[pair[0]];
            if block.last() == Op::Jump(pair[1] as u32) {
                block.ops.pop();
                block.sites.pop();
            }
        }
        let mut position = vec![0; self.blocks.len()];
        (function.code, function.sites) = (Vec::new(), Vec::new());
        for &block in &order {
            position[block] = function.code.len() as u32;
            function.code.append(&mut self.blocks[block].ops);
            function.sites.append(&mut self.blocks[block].sites);
        }
        function.code.iter_mut().for_each(|op| map_targets(op, |to| position[to as usize]));
        self.switches.iter_mut().for_each(|switch| map_switch(switch, |to| position[to as usize]));
        function.switches = self.switches;
    }
}

/// Where blocks start, in order.
pub(crate) fn starts(function: &Function) -> Vec<usize> {
    let mut is_start = vec![false; function.code.len() + 1];
    is_start[0] = true;
    for (pc, &op) in function.code.iter().enumerate() {
        if !falls_through(op) {
            is_start[pc + 1] = true;
            super::effects::successors(function, pc, |to| is_start[to] = true);
        }
    }
    (0..function.code.len()).filter(|&pc| is_start[pc]).collect()
}

fn map_targets(op: &mut Op, map: impl Fn(u32) -> u32) {
    match op {
        Op::Jump(to) => *to = map(*to),
        Op::Branch { then, otherwise, .. } | Op::Landing { normal: then, pad: otherwise, .. } => {
            *then = map(*then);
            *otherwise = map(*otherwise);
        }
        _ => {}
    }
}

fn map_switch(switch: &mut Switch, map: impl Fn(u32) -> u32) {
    switch.cases.iter_mut().for_each(|(_, to)| *to = map(*to));
    switch.default = map(switch.default);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bytecode::{Operand, Reg};
    use base::Rng;

    /// A function of `blocks` blocks of one instruction each: block `i` goes to all of `edges[i]`.
    pub(crate) fn function_of(edges: &[Vec<u32>]) -> Function {
        let mut function = Function { registers: 8, ..Function::default() };
        for (block, targets) in edges.iter().enumerate() {
            function.code.push(match targets[..] {
                [] => Op::Unreachable,
                [to] => Op::Jump(to),
                [then, otherwise] => Op::Branch { condition: Operand::Reg(Reg(0)), then, otherwise },
                _ => {
                    let cases = (0..).zip(targets.iter().copied()).collect();
                    function.switches.push(Switch { cases, default: targets[0] });
                    Op::Switch { value: Operand::Reg(Reg(0)), table: function.switches.len() as u32 - 1 }
                }
            });
            function.sites.push(Site(block as u32));
        }
        function
    }

    /// Where up to `blocks` blocks go, at random.
    pub(crate) fn edges(rng: &mut Rng, blocks: u64) -> Vec<Vec<u32>> {
        let blocks = 1 + rng.below(blocks);
        (0..blocks).map(|_| (0..rng.below(4)).map(|_| rng.below(blocks) as u32).collect()).collect()
    }

    /// The instructions that a walk meets, which at each choice takes the way that `turns` says.
    fn walk(function: &Function, mut turns: u64) -> Vec<Site> {
        let (mut pc, mut met) = (0, Vec::new());
        for _ in 0..20 {
            let mut to = Vec::new();
            super::super::effects::successors(function, pc, |next| to.push(next));
            // A jump may be left out.
            if !matches!(function.code[pc], Op::Jump(_)) {
                met.push(function.sites[pc]);
            }
            let Some(&next) = to.get(turns as usize % to.len().max(1)) else { break };
            // A jump is no choice.
            turns = if to.len() > 1 { turns / 3 } else { turns };
            pc = next;
        }
        met
    }

    #[test]
    fn code_that_becomes_blocks_and_code_again_does_the_same() {
        let rng = &mut Rng::new(1);
        for _ in 0..300 {
            let before = function_of(&edges(rng, 7));
            let mut after = before.clone();
            Cfg::new(&before).write_back(&mut after);
            for turns in 0..60 {
                let (a, b) = (walk(&before, turns), walk(&after, turns));
                let both = a.len().min(b.len());
                assert_eq!(a[..both], b[..both], "{before:?}\n{after:?}");
            }
        }
    }

    #[test]
    fn a_copy_of_a_switch_is_redirected_alone() {
        let mut cfg = Cfg::new(&function_of(&[vec![1, 2, 1], vec![], vec![]]));
        let copy = cfg.add(cfg.blocks[0].clone());
        cfg.redirect(copy, 2, 1);
        assert_eq!((&cfg.successors(0)[..], &cfg.successors(copy)[..]), (&[1, 2][..], &[1][..]));
    }
}
