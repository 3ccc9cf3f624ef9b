//! Whether a thread could find out which one it is.
//!
//! Two threads that run the same function with the same argument and read the same values do the same, but for their
//! own ids and the addresses of their own local variables, heap objects and thread-local variables. Such an address is
//! harmless as long as it is only used to access the object there. So every register that may hold one is followed
//! through the code: it may be moved, added to, accessed, passed on to a function, compared with null. Any other use
//! (it is stored, compared, converted, branched on) counts as finding out, and so does every call that gives a thread
//! its id, or that waits in a way that is not followed here. Memory then holds no such address, for none is ever
//! stored.
//!
//! Code that handles exceptions stores addresses all the time, and is hardly ever run: a thread announces its first throw
//! (`UnwindCall::Throws`), and whoever wants to know asks whether threads could be told apart before that. Then the code
//! after a throw does not count, nor do landing pads, nor functions that only such code calls.
//!
//! Says "yes" too often: code that is never run counts. `main` alone is left out, for there is only one of it.
//! Cost: linear in the code, for each register that is found to hold an address.

use crate::Builtin;
use crate::bytecode::*;
use crate::cfg::effects::{lists, successors, visit};
use crate::system::SystemCall;
use crate::unwind::UnwindCall;
use std::collections::BTreeSet;

/// How many instructions are looked at; one counts each time that it is.
const MOST_LOOKS: usize = 1 << 25;

/// Whether two threads with the same function and argument could be distinguished.
pub(crate) fn tells_threads_apart(module: &Module) -> bool {
    let all = module.functions.iter().map(|function| vec![true; function.code.len()]).collect();
    is_told_in(module, all)
}

/// Whether they could before the first of them has announced that it throws.
pub(crate) fn tells_threads_apart_before_throws(module: &Module) -> bool {
    is_told_in(module, code_before_throws(module))
}

/// Per function and instruction, whether it can be run by a thread that has not announced a throw: it is in a function that
/// such code calls, or knows the address of, or finds in a variable that it knows.
fn code_before_throws(module: &Module) -> Vec<Vec<bool>> {
    let throwing = throwing_functions(module);
    let mut code: Vec<Vec<bool>> = module.functions.iter().map(|f| vec![false; f.code.len()]).collect();
    let starts = module.constructors.iter().chain(&module.destructors).chain(&module.main);
    let mut pending: Vec<Known> = starts.map(|&start| Known::Function(start)).collect();
    let mut seen = BTreeSet::new();
    while let Some(known) = pending.pop() {
        if !seen.insert(known) {
            continue;
        }
        match known {
            Known::Function(FunctionId(f)) => {
                let function = &module.functions[f as usize];
                let reached = reached_before_throws(function, &throwing);
                for (op, _) in function.code.iter().zip(&reached).filter(|(_, is_reached)| **is_reached) {
                    known_in(function, *op, &mut pending);
                }
                code[f as usize] = reached;
            }
            Known::Global(GlobalId(global)) => {
                let relocations = module.globals[global as usize].relocations.iter();
                pending.extend(relocations.filter_map(|(_, relocation)| match *relocation {
                    Relocation::Global(id, _) => Some(Known::Global(id)),
                    Relocation::Function(id) => Some(Known::Function(id)),
                    Relocation::External(_) => None,
                }));
            }
        }
    }
    code
}

/// Something that code can name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    Function(FunctionId),
    Global(GlobalId),
}

/// The functions and variables that an instruction names. A landing names its clauses, which are read after a throw alone.
fn known_in(function: &Function, mut op: Op, found: &mut Vec<Known>) {
    match op {
        Op::Call { function, .. } => found.push(Known::Function(function)),
        Op::ThreadLocal { global, .. } => found.push(Known::Global(global)),
        Op::Landing { .. } => return,
        _ => {}
    }
    let mut name = |operand: Operand| {
        let Operand::Const(constant) = operand else { return };
        match function.constants[usize::from(constant)] {
            Constant::Function(id) => found.push(Known::Function(id)),
            Constant::Global(id, _) => found.push(Known::Global(id)),
            Constant::Value(_) | Constant::External(_) => {}
        }
    };
    visit(&mut op, |operand| name(*operand), |_| {});
    if let (Some(&mut list), _) = lists(&mut op) {
        (0..list.len).filter_map(|i| function.operand(list, i)).for_each(name);
    }
}

/// Per function, whether it cannot return without having announced a throw.
fn throwing_functions(module: &Module) -> Vec<bool> {
    let mut throwing = vec![false; module.functions.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (f, function) in module.functions.iter().enumerate().filter(|(f, _)| !throwing[*f]) {
            let reached = reached_before_throws(function, &throwing);
            let returns = |(op, reached): (&Op, &bool)| *reached && matches!(op, Op::Return { .. });
            if !function.code.iter().zip(&reached).any(returns) {
                changed = true;
                throwing[f] = true;
                break;
            }
        }
    }
    throwing
}

/// The instructions that are reached from the start without a throw. No landing pad is.
fn reached_before_throws(function: &Function, throwing: &[bool]) -> Vec<bool> {
    let mut reached = vec![false; function.code.len()];
    let mut pending = vec![0];
    while let Some(pc) = pending.pop() {
        if std::mem::replace(&mut reached[pc], true) {
            continue;
        }
        match function.code[pc] {
            Op::Landing { normal, .. } => pending.push(normal as usize),
            Op::Call { function: callee, .. } if throwing[callee.0 as usize] => {}
            Op::Builtin { builtin: Builtin::Unwind(UnwindCall::Throws), .. } => {}
            _ => successors(function, pc, |to| pending.push(to)),
        }
    }
    reached
}

fn is_told_in(module: &Module, code: Vec<Vec<bool>>) -> bool {
    let main = module.main.filter(|&main| !is_used(module, main));
    let mut addresses = Addresses::new(module);
    let ops: usize = module.functions.iter().map(|function| function.code.len()).sum();
    let mut left = MOST_LOOKS;
    while !addresses.apart && std::mem::take(&mut addresses.changed) {
        // To say so is always right: threads that can be distinguished are not taken for each other.
        let Some(rest) = left.checked_sub(ops) else { return true };
        left = rest;
        for (f, function) in module.functions.iter().enumerate() {
            if main.is_none_or(|main| main.0 as usize != f) {
                let followed = function.code.iter().zip(&code[f]).filter(|(_, is_followed)| **is_followed);
                followed.for_each(|(op, _)| addresses.follow(f, function, op));
            }
        }
    }
    addresses.apart
}

/// Whether the program may call the function, or create a thread for it.
pub(crate) fn is_used(module: &Module, id: FunctionId) -> bool {
    let calls = |op: &Op| matches!(*op, Op::Call { function, .. } if function == id);
    let mut functions = module.functions.iter();
    functions.any(|f| f.code.iter().any(calls) || f.constants.contains(&Constant::Function(id)))
        || module.globals.iter().any(|g| g.relocations.iter().any(|r| r.1 == Relocation::Function(id)))
}

/// The registers that may hold an address of the thread's own.
struct Addresses<'a> {
    module: &'a Module,
    /// Per function and register.
    held: Vec<Vec<bool>>,
    /// Per function: whether it returns one.
    returned: Vec<bool>,
    changed: bool,
    /// Whether threads can be distinguished.
    apart: bool,
}

impl<'a> Addresses<'a> {
    fn new(module: &'a Module) -> Addresses<'a> {
        let none = |function: &Function| vec![false; usize::from(function.registers)];
        Addresses {
            module,
            held: module.functions.iter().map(none).collect(),
            returned: vec![false; module.functions.len()],
            changed: true,
            apart: false,
        }
    }

    fn has(&self, f: usize, operand: Operand) -> bool {
        match operand {
            Operand::Reg(Reg(register)) => self.held[f][usize::from(register)],
            Operand::Const(_) => false,
        }
    }

    fn hold(&mut self, f: usize, Reg(register): Reg) {
        if let Some(held) = self.held[f].get_mut(usize::from(register)) {
            self.changed |= !*held;
            *held = true;
        }
    }

    fn follow(&mut self, f: usize, function: &Function, op: &Op) {
        match *op {
            Op::Alloca { dst, .. } | Op::ThreadLocal { dst, .. } => self.hold(f, dst),
            Op::Move { dst, a } => self.pass_on(f, &[a], dst),
            Op::Index { dst, base, index, .. } => {
                self.pass_on(f, &[base], dst);
                self.apart |= self.has(f, index);
            }
            Op::Bin { op: BinOp::Add, width: 64, dst, a, b } => {
                self.pass_on(f, &[a, b], dst);
                self.apart |= self.has(f, a) && self.has(f, b);
            }
            Op::Select { dst, condition, a, b } => {
                self.pass_on(f, &[a, b], dst);
                self.apart |= self.has(f, condition);
            }
            Op::Cmp { op: CmpOp::Eq | CmpOp::Ne, a, b, .. } => {
                let is_null = |operand| match operand {
                    Operand::Const(i) => function.constants[usize::from(i)] == Constant::Value(0),
                    Operand::Reg(_) => false,
                };
                self.apart |= self.has(f, a) && !is_null(b) || self.has(f, b) && !is_null(a);
            }
            Op::Load { .. } | Op::Lifetime { .. } | Op::InBounds { .. } => {}
            Op::Store { value, .. } | Op::Rmw { value, .. } => self.apart |= self.has(f, value),
            Op::CompareExchange { expected, new, .. } => {
                self.apart |= self.has(f, expected) || self.has(f, new);
            }
            Op::Call { function: callee, arguments, results } => {
                self.call(f, function, callee.0 as usize, arguments, results);
            }
            Op::CallIndirect { callee, arguments, .. } => {
                let any_returned = self.returned.iter().any(|&returned| returned);
                self.apart |= any_returned || self.has(f, callee) || self.any(f, function, arguments);
            }
            Op::Builtin { builtin, arguments, result } => {
                self.builtin(f, function, builtin, arguments, result);
            }
            // What is thrown is an object of the thread.
            Op::Landing { exception, .. } => self.hold(f, exception),
            Op::Return { values } => {
                if self.any(f, function, values) && !std::mem::replace(&mut self.returned[f], true) {
                    self.changed = true;
                }
            }
            other => {
                crate::cfg::effects::reads_of(function, other, |register| {
                    self.apart |= self.held[f][usize::from(register.0)];
                });
            }
        }
    }

    /// `dst` is one of these operands, or that plus an offset.
    fn pass_on(&mut self, f: usize, from: &[Operand], dst: Reg) {
        if from.iter().any(|&operand| self.has(f, operand)) {
            self.hold(f, dst);
        }
    }

    fn any(&self, f: usize, function: &Function, list: List) -> bool {
        (0..list.len).filter_map(|i| function.operand(list, i)).any(|operand| self.has(f, operand))
    }

    fn call(&mut self, f: usize, function: &Function, callee: usize, arguments: List, results: List) {
        let parameters = self.module.functions[callee].parameters;
        for i in 0..arguments.len {
            if function.operand(arguments, i).is_some_and(|operand| self.has(f, operand)) {
                // The use of an argument beyond the parameters of the callee is not known.
                self.apart |= i >= parameters;
                self.hold(callee, Reg(i));
            }
        }
        if self.returned[callee] {
            let results = results.first as usize..results.first as usize + usize::from(results.len);
            function.registers_list[results].iter().for_each(|&register| self.hold(f, register));
        }
    }

    fn builtin(
        &mut self,
        f: usize,
        function: &Function,
        builtin: Builtin,
        arguments: List,
        result: Option<Reg>,
    ) {
        match builtin {
            Builtin::Malloc
            | Builtin::Calloc
            | Builtin::AlignedAlloc
            | Builtin::ErrnoLocation
            | Builtin::System(SystemCall::Map) => {
                self.apart |= self.any(f, function, arguments);
                result.into_iter().for_each(|register| self.hold(f, register));
            }
            Builtin::Realloc | Builtin::StackSave => {
                result.into_iter().for_each(|register| self.hold(f, register))
            }
            // Some of these return their argument.
            Builtin::MemCopy | Builtin::MemSet => {
                if self.any(f, function, arguments) {
                    result.into_iter().for_each(|register| self.hold(f, register));
                }
            }
            Builtin::Free
            | Builtin::MemCompare
            | Builtin::StrLen
            | Builtin::StrCompare
            | Builtin::AssertFail
            | Builtin::Abort
            | Builtin::MutexInit
            | Builtin::MutexDestroy
            | Builtin::MutexLock
            | Builtin::MutexTryLock
            | Builtin::MutexUnlock
            | Builtin::AtomicBegin
            | Builtin::AtomicEnd
            | Builtin::AtomicEnter
            | Builtin::AtomicLeave
            | Builtin::NondetBool
            | Builtin::Hint
            | Builtin::StackRestore
            | Builtin::Returned
            | Builtin::Unwind(_)
            | Builtin::VerifierError => {}
            Builtin::Assume | Builtin::Nothing | Builtin::Nondet => {
                self.apart |= self.any(f, function, arguments);
            }
            Builtin::System(call) => self.apart |= call.tells_threads_apart(),
            _ if builtin.is_output() => {}
            // Ids of threads, ways to wait, and calls that store an address.
            _ => self.apart = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{RmwOrder, WriteOrder};

    /// Whether threads are distinguished in a program in which some function, not `main`, has this code. Register 0 is
    /// the address of a local variable, constant 0 is null, and constant 1 is something else.
    fn apart(code: &[Op], operands: &[Operand]) -> bool {
        let local = Op::Alloca { dst: Reg(0), size: 8, align: 8, count: Operand::Const(1) };
        let code: Vec<Op> = std::iter::once(local).chain(code.iter().copied()).collect();
        let function = Function {
            registers: 4,
            constants: vec![Constant::Value(0), Constant::Value(1)],
            code,
            operands: operands.to_vec(),
            ..Function::default()
        };
        let main = Function { registers: 4, ..Function::default() };
        let module =
            Module { functions: vec![main, function], main: Some(FunctionId(0)), ..Module::default() };
        tells_threads_apart(&module)
    }

    const LOCAL: Operand = Operand::Reg(Reg(0));
    const OTHER: Operand = Operand::Reg(Reg(1));

    #[test]
    fn an_address_may_be_used_to_get_there() {
        let index = Op::Index { dst: Reg(1), base: LOCAL, index: Operand::Const(1), scale: 4 };
        let store =
            Op::Store { size: 4, order: WriteOrder::NotAtomic, address: OTHER, value: Operand::Const(1) };
        let null = Op::Cmp { op: CmpOp::Eq, width: 64, dst: Reg(2), a: LOCAL, b: Operand::Const(0) };
        assert!(!apart(&[index, store, null], &[]));
    }

    #[test]
    fn it_must_not_be_stored_compared_or_converted() {
        let index = Op::Index { dst: Reg(1), base: LOCAL, index: Operand::Const(1), scale: 4 };
        let global = Operand::Const(1);
        let bad = [
            Op::Store { size: 8, order: WriteOrder::Relaxed, address: global, value: OTHER },
            Op::Rmw {
                kind: RmwKind::Exchange,
                size: 8,
                order: RmwOrder::Relaxed,
                dst: Reg(2),
                address: global,
                value: OTHER,
            },
            Op::Cmp { op: CmpOp::Ult, width: 64, dst: Reg(2), a: OTHER, b: Operand::Const(0) },
            Op::Cmp { op: CmpOp::Eq, width: 64, dst: Reg(2), a: OTHER, b: Operand::Reg(Reg(3)) },
            Op::Bin { op: BinOp::And, width: 64, dst: Reg(2), a: OTHER, b: Operand::Const(1) },
            Op::Trunc { width: 32, dst: Reg(2), a: OTHER },
            Op::Branch { condition: OTHER, then: 0, otherwise: 0 },
        ];
        for op in bad {
            assert!(apart(&[op, index], &[]), "{op:?}");
            assert!(!apart(&[op], &[]), "{op:?} of something else");
        }
    }

    #[test]
    fn nobody_may_ask_for_its_id() {
        let ask =
            Op::Builtin { builtin: Builtin::PthreadSelf, arguments: List::default(), result: Some(Reg(1)) };
        assert!(apart(&[ask], &[]));
        let allocate = Op::Builtin {
            builtin: Builtin::Malloc,
            arguments: List { first: 0, len: 1 },
            result: Some(Reg(1)),
        };
        let store =
            Op::Store { size: 8, order: WriteOrder::Relaxed, address: Operand::Const(1), value: OTHER };
        assert!(!apart(&[allocate], &[Operand::Const(1)]));
        assert!(apart(&[allocate, store], &[Operand::Const(1)]));
    }

    #[test]
    fn what_is_returned_is_followed() {
        let back = Op::Return { values: List { first: 0, len: 1 } };
        assert!(!apart(&[back], &[LOCAL]));
    }

    /// Before a throw is announced an address must not be stored; after that, and in a landing pad, it does not count.
    #[test]
    fn code_after_a_throw_is_another_question() {
        let throws = Builtin::Unwind(UnwindCall::Throws);
        let throw = Op::Builtin { builtin: throws, arguments: List::default(), result: None };
        let stores =
            Op::Store { size: 8, order: WriteOrder::Relaxed, address: Operand::Const(1), value: LOCAL };
        let end = Op::Return { values: List::default() };
        let call =
            |f| Op::Call { function: FunctionId(f), arguments: List::default(), results: List::default() };
        let clauses = Operand::Const(0);
        let landing = |normal, pad| Op::Landing { normal, pad, clauses, exception: Reg(1), selector: Reg(2) };
        let local = Op::Alloca { dst: Reg(0), size: 8, align: 8, count: Operand::Const(1) };
        // Function 1 is a thread's, function 2 throws, function 3 stores an address, function 4 returns.
        let before = |code: &[Op]| {
            let function = |code: &[Op]| Function {
                registers: 4,
                constants: vec![Constant::Value(0), Constant::Value(1)],
                code: std::iter::once(local).chain(code.iter().copied()).collect(),
                ..Function::default()
            };
            let start = Op::Move { dst: Reg(1), a: Operand::Const(0) };
            let main =
                Function { constants: vec![Constant::Function(FunctionId(1)); 2], ..function(&[start, end]) };
            let functions = vec![
                main,
                function(code),
                function(&[throw, end]),
                function(&[stores, end]),
                function(&[end]),
            ];
            let module = Module { functions, main: Some(FunctionId(0)), ..Module::default() };
            tells_threads_apart_before_throws(&module)
        };
        assert!(before(&[stores, throw, end]));
        assert!(!before(&[throw, stores, end]));
        assert!(!before(&[call(2), stores, end]), "it has thrown when it returns");
        assert!(before(&[call(4), stores, end]));
        assert!(before(&[call(3), end]));
        assert!(!before(&[call(2), call(3), end]), "nobody else calls it");
        assert!(!before(&[call(4), landing(3, 4), end, stores, end]), "a pad");
        assert!(before(&[call(4), landing(4, 3), end, stores, end]));
        let branch = Op::Branch { condition: Operand::Reg(Reg(3)), then: 2, otherwise: 3 };
        assert!(before(&[branch, call(2), stores, end]), "it may not have thrown");
    }
}
