//! Globals that are accessed atomically only: no access to them can race, or be wrong in another way.
//!
//! Every mention of such a global in the module is the address of an atomic access inside it, and no two of these
//! accesses overlap without being of the same bytes. Its address is never in a register, in memory or in an argument,
//! so no other access can use it; and a global has a value from the start and is never freed.
//! Not modelled: addresses that are made from nothing, such as a number that happens to be one.
//! Cost: one look at each instruction of the module.

use crate::bytecode::{Constant, Function, Global, GlobalId, Module, Op, Operand, Relocation};
use crate::cfg::effects::{lists, visit};
use base::{ReadOrder, WriteOrder};
use std::collections::BTreeSet;

/// Which bytes of which globals are accessed atomically, where nothing else is done to the global.
#[derive(Debug)]
pub(super) struct Atomics {
    /// By global: its accesses, as offset and size; `None`: it is used in other ways, too.
    accesses: Vec<Option<BTreeSet<(i64, u8)>>>,
}

impl Atomics {
    pub(super) fn new(module: &Module) -> Atomics {
        let of = |global: &Global| is_shared(global).then(BTreeSet::new);
        let mut atomics = Atomics { accesses: module.globals.iter().map(of).collect() };
        for (_, relocation) in module.globals.iter().flat_map(|global| &global.relocations) {
            if let Relocation::Global(global, _) = *relocation {
                atomics.spoil(global);
            }
        }
        for function in &module.functions {
            function.code.iter().for_each(|&op| atomics.note(function, op));
        }
        for (accesses, global) in atomics.accesses.iter_mut().zip(&module.globals) {
            *accesses = accesses.take().filter(|accesses| are_apart(accesses, global));
        }
        atomics
    }

    /// Whether an atomic access of this address and size is one to such a global.
    pub(super) fn has(&self, function: &Function, address: Operand, size: u8) -> bool {
        global_of(function, address).is_some_and(|(global, offset)| {
            let accesses = &self.accesses[global.0 as usize];
            accesses.as_ref().is_some_and(|accesses| accesses.contains(&(offset, size)))
        })
    }

    fn spoil(&mut self, global: GlobalId) {
        self.accesses[global.0 as usize] = None;
    }

    /// Take the globals that an instruction mentions into account.
    fn note(&mut self, function: &Function, op: Op) {
        let mut mentioned = mentioned(function, op);
        if let Some((address, size)) = atomic_access(op)
            && let Some((global, offset)) = global_of(function, address)
        {
            let at = mentioned.iter().position(|&operand| operand == address);
            mentioned.swap_remove(at.expect("an address is an operand"));
            if let Some(accesses) = &mut self.accesses[global.0 as usize] {
                accesses.insert((offset, size));
            }
        }
        let globals = mentioned.into_iter().filter_map(|operand| global_of(function, operand));
        globals.for_each(|(global, _)| self.spoil(global));
    }
}

/// The address of an atomic access, and its size.
pub(super) fn atomic_access(op: Op) -> Option<(Operand, u8)> {
    match op {
        Op::Load { order: ReadOrder::NotAtomic, .. } | Op::Store { order: WriteOrder::NotAtomic, .. } => None,
        Op::Load { address, size, .. }
        | Op::Store { address, size, .. }
        | Op::Rmw { address, size, .. }
        | Op::CompareExchange { address, size, .. } => Some((address, size)),
        _ => None,
    }
}

/// Whether it is an ordinary variable, which all threads share.
fn is_shared(global: &Global) -> bool {
    !global.constant && !global.thread_local && !global.external && global.unmodelled.is_none()
}

fn global_of(function: &Function, operand: Operand) -> Option<(GlobalId, i64)> {
    let Operand::Const(index) = operand else { return None };
    match function.constants[usize::from(index)] {
        Constant::Global(global, offset) => Some((global, offset)),
        _ => None,
    }
}

/// All operands of an instruction, each as often as it is one.
fn mentioned(function: &Function, mut op: Op) -> Vec<Operand> {
    let mut found = Vec::new();
    visit(&mut op, |operand| found.push(*operand), |_| {});
    if let (Some(list), _) = lists(&mut op) {
        let first = list.first as usize;
        found.extend(&function.operands[first..first + usize::from(list.len)]);
    }
    found
}

/// Whether the accesses are inside the global and aligned, and any two of them have all their bytes in common or none.
fn are_apart(accesses: &BTreeSet<(i64, u8)>, global: &Global) -> bool {
    let end = |&(offset, size): &(i64, u8)| offset.saturating_add(i64::from(size));
    let is_inside = |access: &(i64, u8)| {
        let (offset, size) = *access;
        offset >= 0
            && end(access) <= global.bytes.len() as i64
            && offset % i64::from(size.max(1)) == 0
            && global.align >= u64::from(size)
    };
    let next = || accesses.iter().skip(1);
    accesses.iter().all(is_inside) && accesses.iter().zip(next()).all(|(a, b)| end(a) <= b.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::{List, Reg};

    const X: Operand = Operand::Const(0);

    fn load(address: Operand, size: u8, order: ReadOrder) -> Op {
        Op::Load { size, order, partial: false, dst: Reg(0), address }
    }

    fn has(code: Vec<Op>, constants: Vec<Constant>, relocations: Vec<(u64, Relocation)>) -> bool {
        let x = Global { bytes: vec![0; 8], align: 8, ..Global::default() };
        let other = Global { relocations, ..x.clone() };
        let function = Function { registers: 2, code, constants, operands: vec![X], ..Function::default() };
        let module = Module { functions: vec![function], globals: vec![x, other], ..Module::default() };
        Atomics::new(&module).has(&module.functions[0], X, 4)
    }

    #[test]
    fn a_global_is_atomic_if_it_is_only_an_address_of_atomic_accesses() {
        let x = |offset| Constant::Global(GlobalId(0), offset);
        let atomic = load(X, 4, ReadOrder::Relaxed);
        let alone = |more: Vec<Op>| has([vec![atomic], more].concat(), vec![x(0), x(4), x(2)], Vec::new());
        assert!(alone(Vec::new()));
        assert!(alone(vec![load(Operand::Const(1), 4, ReadOrder::Acquire)]));
        let store = |value| Op::Store { size: 4, order: WriteOrder::Relaxed, address: X, value };
        assert!(alone(vec![store(Operand::Reg(Reg(1)))]));
        // Its address goes elsewhere.
        assert!(!alone(vec![store(X)]));
        assert!(!alone(vec![Op::Move { dst: Reg(1), a: X }]));
        assert!(!alone(vec![Op::Return { values: List { first: 0, len: 1 } }]));
        assert!(!has(vec![atomic], vec![x(0)], vec![(0, Relocation::Global(GlobalId(0), 0))]));
        // It is read plainly, or not always as a whole, or from beyond its end.
        assert!(!alone(vec![load(X, 4, ReadOrder::NotAtomic)]));
        assert!(!alone(vec![load(Operand::Const(2), 2, ReadOrder::Relaxed)]));
        assert!(!has(
            vec![atomic, load(Operand::Const(1), 4, ReadOrder::Relaxed)],
            vec![x(0), x(8)],
            Vec::new()
        ));
    }
}
