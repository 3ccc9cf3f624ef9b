//! Control flow between blocks: phis become moves on the edge, loops are counted there.
//!
//! The moves of an edge happen at once: they are put into an order in which none overwrites what another still
//! reads, with one extra register for each cycle. An edge with code of its own that does not end its block's only
//! way out gets a block of its own.

use super::body::Body;
use crate::assembler::Label;
use crate::ffi::{Kind, Opcode, Value};
use std::collections::BTreeMap;
use vm::bytecode::{Op, Operand, Reg};

/// The edges of a block that still need their code.
pub(super) struct Edges {
    from: usize,
    made: Vec<(usize, Label)>,
    /// The places of blocks in the list.
    index: BTreeMap<usize, usize>,
}

impl Edges {
    pub(super) fn new(from: usize) -> Edges {
        Edges { from, made: Vec::new(), index: BTreeMap::new() }
    }
}

impl<'m> Body<'_, 'm> {
    pub(super) fn terminator(&mut self, from: usize, instruction: Value<'m>) -> Result<(), String> {
        match instruction.opcode() {
            Opcode::LLVMBr => match instruction.condition() {
                None => {
                    let to = self.flow.successors[from][0];
                    self.edge_code(from, to)?;
                    self.asm.jump(self.labels[to]);
                    Ok(())
                }
                Some(condition) => {
                    check_defined(condition)?;
                    let condition = self.one(condition)?;
                    let mut edges = Edges::new(from);
                    let (then, otherwise) = (self.flow.successors[from][0], self.flow.successors[from][1]);
                    let (then, otherwise) = (self.edge(&mut edges, then), self.edge(&mut edges, otherwise));
                    self.asm.branch(condition, then, otherwise);
                    self.finish_edges(edges);
                    Ok(())
                }
            },
            Opcode::LLVMSwitch => self.switch(from, instruction),
            Opcode::LLVMRet => {
                let values = match instruction.operand_count() {
                    0 => Vec::new(),
                    _ => self.all(instruction.operand(0))?,
                };
                let values = self.asm.operands(&values);
                self.asm.emit(Op::Return { values });
                Ok(())
            }
            Opcode::LLVMUnreachable => {
                self.asm.emit(Op::Unreachable);
                Ok(())
            }
            Opcode::LLVMIndirectBr => self.computed_goto(from, instruction),
            Opcode::LLVMCallBr => Err("assembly that jumps (`asm goto`) is not modelled".into()),
            Opcode::LLVMInvoke => self.invoke(from, instruction),
            Opcode::LLVMResume => self.resume(instruction),
            _ => Err("exceptions of Windows are not modelled".into()),
        }
    }

    fn switch(&mut self, from: usize, instruction: Value<'m>) -> Result<(), String> {
        check_defined(instruction.operand(0))?;
        let value = self.one(instruction.operand(0))?;
        let mut edges = Edges::new(from);
        let default = self.flow.successors[from][0];
        let default = self.edge(&mut edges, default);
        let mut cases = Vec::new();
        for (index, (case, _)) in instruction.cases().into_iter().enumerate() {
            let to = self.flow.successors[from][index + 1];
            let case = case.integer().ok_or("a switch on more than 64 bits is not modelled")?;
            cases.push((case, self.edge(&mut edges, to)));
        }
        self.asm.switch(value, cases, default);
        self.finish_edges(edges);
        Ok(())
    }

    /// A switch on the addresses of labels. Any other address is undefined behaviour.
    fn computed_goto(&mut self, from: usize, instruction: Value<'m>) -> Result<(), String> {
        let value = self.one(instruction.operand(0))?;
        let mut edges = Edges::new(from);
        let mut cases = Vec::new();
        for to in self.flow.successors[from].clone() {
            let address = self.symbols.label(self.flow.blocks[to]).ok_or("a label without an address")?;
            cases.push((address, self.edge(&mut edges, to)));
        }
        let nowhere = self.asm.label();
        self.asm.switch(value, cases, nowhere);
        self.asm.place(nowhere);
        self.asm.emit(Op::Unreachable);
        self.finish_edges(edges);
        Ok(())
    }

    /// Where to jump to take an edge: the block itself, or the edge's own code.
    pub(super) fn edge(&mut self, edges: &mut Edges, to: usize) -> Label {
        if let Some(&place) = edges.index.get(&to) {
            return edges.made[place].1;
        }
        let has_phi = self.flow.blocks[to].instructions().next().is_some_and(|i| i.is_phi());
        if !has_phi && self.counters[to].is_none() {
            return self.labels[to];
        }
        let label = self.asm.label();
        edges.index.insert(to, edges.made.len());
        edges.made.push((to, label));
        label
    }

    pub(super) fn finish_edges(&mut self, edges: Edges) {
        for (to, label) in edges.made {
            self.asm.place(label);
            match self.edge_code(edges.from, to) {
                Ok(()) => self.asm.jump(self.labels[to]),
                Err(text) => self.asm.refuse(text),
            }
        }
    }

    /// What happens on the way from one block to another.
    fn edge_code(&mut self, from: usize, to: usize) -> Result<(), String> {
        if let Some(counter) = self.counters[to] {
            if self.flow.is_back_edge(from, to) {
                self.asm.emit(Op::Unroll { counter });
                self.bounds.extend(self.set[to].map(|bound| (self.asm.site(), bound)));
            } else {
                let a = self.asm.number(0);
                self.asm.emit(Op::Move { dst: counter, a });
            }
        }
        let block = self.flow.blocks[from];
        let mut moves = Vec::new();
        for phi in self.flow.blocks[to].instructions().take_while(|i| i.is_phi()) {
            let value = self.incoming(phi, block);
            let (targets, values) = (self.all(phi)?, self.all(value)?);
            for (target, value) in targets.into_iter().zip(values) {
                let Operand::Reg(target) = target else { unreachable!("a phi has registers") };
                moves.push((target, value));
            }
        }
        self.moves(moves);
        Ok(())
    }

    /// What a phi is when control comes from a block. A block with thousands of ways in is asked once.
    fn incoming(&mut self, phi: Value<'m>, from: Value<'m>) -> Value<'m> {
        let values = self.incoming.entry(phi).or_insert_with(|| {
            // The first counts, if there are several of a block; they are the same.
            phi.incoming().into_iter().rev().map(|(value, block)| (block, value)).collect()
        });
        *values.get(&from).expect("a value for each way in")
    }

    /// Do all moves at once.
    fn moves(&mut self, mut moves: Vec<(Reg, Operand)>) {
        moves.retain(|&(dst, a)| a != Operand::Reg(dst));
        let mut reads: BTreeMap<Reg, usize> = BTreeMap::new();
        let read = |reads: &mut BTreeMap<Reg, usize>, operand| {
            if let Operand::Reg(register) = operand {
                *reads.entry(register).or_default() += 1;
            }
        };
        moves.iter().for_each(|&(_, a)| read(&mut reads, a));
        while !moves.is_empty() {
            match moves.iter().position(|(dst, _)| reads.get(dst).is_none_or(|&times| times == 0)) {
                Some(free) => {
                    let (dst, a) = moves.swap_remove(free);
                    if let Operand::Reg(register) = a {
                        *reads.entry(register).or_default() -= 1;
                    }
                    self.asm.emit(Op::Move { dst, a });
                }
                // Only cycles are left: save one register, and let its readers read the copy.
                None => {
                    let (busy, _) = moves[0];
                    let copy = self.asm.result(|dst| Op::Move { dst, a: Operand::Reg(busy) });
                    for (_, a) in moves.iter_mut().filter(|(_, a)| *a == Operand::Reg(busy)) {
                        *a = copy;
                        read(&mut reads, copy);
                    }
                    reads.remove(&busy);
                }
            }
        }
    }
}

/// Where to go must not depend on a value that may be any.
fn check_defined(condition: Value<'_>) -> Result<(), String> {
    match condition.kind() {
        Kind::Undefined => Err("a branch on an undefined value is not modelled".into()),
        _ => Ok(()),
    }
}
