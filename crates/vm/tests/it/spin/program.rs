//! Small programs of threads that wait, retry and count, as bytecode.

use base::{FenceOrder, ReadOrder, RmwOrder, Site, WriteOrder};
use vm::Builtin;
use vm::bytecode::{
    BinOp, CmpOp, Constant, Function, FunctionId, Global, GlobalId, List, Module, Op, Operand, Reg, RmwKind,
    SiteInfo,
};

/// Registers that a program computes with.
pub(crate) const REGISTERS: u16 = 4;
/// Globals: two numbers, a pointer, two numbers that are only accessed plainly, and a mutex, which the second of these is
/// meant to be accessed under.
pub(crate) const NUMBERS: u32 = 2;
const POINTER: u32 = 2;
const PLAIN: u32 = 3;
const GUARDED: u32 = 4;
const MUTEX: u32 = 5;

/// A statement. The first number is the register that it writes.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Load(u16, u32),
    Store(u32, u64),
    StoreRegister(u32, u16),
    /// The register becomes the old value.
    Rmw(u16, u32, RmwKind, u64),
    /// `registers.0 = CAS(x, registers.1, value)`; `registers.1` becomes the old value, as in C, if `updates`.
    CompareExchange {
        success: u16,
        expected: u16,
        global: u32,
        new: New,
        updates: bool,
    },
    /// The same with the number 0 expected.
    TryLock(u16, u32),
    Set(u16, u64),
    Copy(u16, u16),
    Increment(u16),
    /// The same as front ends do it: of the width that it is compared in.
    Count(u16),
    /// `sched_yield()`.
    Hint,
    Fence,
    LoadPlain(u16),
    StorePlain(u64),
    /// Of a number that others access atomically.
    LoadNumberPlain(u16, u32),
    /// To such a number.
    StoreNumberPlain(u32, u64),
    LoadGuarded(u16),
    StoreGuarded(u64),
    /// With the mutex; if `turned`, without it, which the thread has.
    Locked {
        inner: Vec<Statement>,
        turned: bool,
    },
    /// A local variable that only the thread can reach.
    LoadOwn(u16),
    StoreOwn(u16),
    IncrementOwn,
    /// A node that the thread may have published: `node->next = register`.
    StoreNode(u16),
    /// `register = node->next`.
    LoadNode(u16),
    /// `register = CAS(pointer, top, node)`.
    Push {
        success: u16,
        top: u16,
    },
    /// `register = pointer`.
    LoadPointer(u16),
    /// `if (pointer) register = pointer->next`.
    Follow(u16),
    /// A plain store to a number.
    Clobber(u32, u64),
    /// `register = node->next`, atomically.
    PeekNode(u16),
    /// `pointer = node`.
    Share,
    /// `if (pointer) pointer->next = value`, plainly.
    WriteTop(u64),
    /// `if (pointer) free(pointer)`.
    FreeTop,
    AssertNot(u16, u64),
    If(Test, Vec<Statement>),
    While(Test, Vec<Statement>),
    DoWhile(Vec<Statement>, Test),
    /// Only `Break` leaves it.
    Forever(Vec<Statement>),
    Break,
    Continue,
    /// One after the other.
    Block(Vec<Statement>),
}

/// What a compare-exchange writes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum New {
    Number(u64),
    /// One more than it expects.
    Next,
}

/// A condition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Test {
    pub(crate) register: u16,
    pub(crate) op: CmpOp,
    pub(crate) value: u64,
}

/// A thread, and the registers that it returns. The others are dead in the end.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) statements: Vec<Statement>,
    pub(crate) returns: Vec<u16>,
    pub(crate) orders: Orders,
}

/// The orders of a thread's accesses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Orders {
    pub(crate) load: ReadOrder,
    pub(crate) store: WriteOrder,
    pub(crate) rmw: RmwOrder,
    /// Of a compare-exchange that fails.
    pub(crate) failure: ReadOrder,
    /// May compare-exchanges fail spuriously?
    pub(crate) weak: bool,
}

impl Default for Orders {
    fn default() -> Orders {
        let (load, store, rmw) = (ReadOrder::Acquire, WriteOrder::Release, RmwOrder::AcqRel);
        Orders { load, store, rmw, failure: ReadOrder::Acquire, weak: false }
    }
}

impl Thread {
    /// One that returns nothing.
    pub(crate) fn new(statements: &[Statement]) -> Thread {
        Thread { statements: statements.to_vec(), returns: Vec::new(), orders: Orders::default() }
    }

    /// May it free something?
    pub(crate) fn frees(&self) -> bool {
        self.statements.iter().any(|statement| matches!(statement, Statement::FreeTop))
    }
}

/// Do loops count their rounds, so that there can be a bound?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rounds {
    Counted,
    Uncounted,
}

/// The program as a module: `main` creates the threads and ends.
pub(crate) fn module(threads: &[Thread]) -> Module {
    module_with(threads, Rounds::Counted)
}

/// The same, with loops like that.
pub(crate) fn module_with(threads: &[Thread], rounds: Rounds) -> Module {
    let functions = std::iter::once(main(threads.len()))
        .chain((1..).zip(threads).map(|(i, it)| lower(it, Site(i), rounds)))
        .collect();
    let global = |name: &str, size| Global {
        name: name.to_owned(),
        bytes: vec![0; size],
        align: 8,
        ..Global::default()
    };
    Module {
        functions,
        globals: vec![
            global("x", 4),
            global("y", 4),
            global("pointer", 8),
            global("plain", 4),
            global("guarded", 4),
            global("mutex", 40),
        ],
        main: Some(FunctionId(0)),
        sites: vec![SiteInfo::default(); threads.len() + 1],
        ..Module::default()
    }
}

fn main(threads: usize) -> Function {
    let mut asm = Assembler::new("main", Site(0));
    let (handle, one) = (asm.register(), asm.number(1));
    asm.op(Op::Alloca { dst: handle, size: 8, align: 8, count: one });
    for thread in 1..=threads as u32 {
        let (zero, function) = (asm.number(0), asm.constant(Constant::Function(FunctionId(thread))));
        let arguments = asm.list(&[Operand::Reg(handle), zero, function, zero]);
        asm.op(Op::Builtin { builtin: Builtin::PthreadCreate, arguments, result: None });
    }
    let values = asm.list(&[]);
    asm.op(Op::Return { values });
    asm.finish()
}

fn lower(thread: &Thread, site: Site, rounds: Rounds) -> Function {
    let mut asm = Assembler { orders: thread.orders, rounds, ..Assembler::new("thread", site) };
    asm.function.registers = REGISTERS;
    (asm.own, asm.node) = (asm.register(), asm.register());
    let (zero, one, size) = (asm.number(0), asm.number(1), asm.number(8));
    let (own, node) = (asm.own, asm.node);
    asm.op(Op::Alloca { dst: own, size: 8, align: 8, count: one });
    asm.op(Op::Store { size: 8, order: WriteOrder::NotAtomic, address: Operand::Reg(own), value: zero });
    let arguments = asm.list(&[size]);
    asm.op(Op::Builtin { builtin: Builtin::Malloc, arguments, result: Some(node) });
    asm.op(Op::Store { size: 8, order: WriteOrder::NotAtomic, address: Operand::Reg(node), value: one });
    asm.statements(&thread.statements);
    let returned: Vec<Operand> = thread.returns.iter().map(|&r| Operand::Reg(Reg(r))).collect();
    let values = asm.list(&returned);
    asm.op(Op::Return { values });
    asm.finish()
}

struct Assembler {
    function: Function,
    /// Where each label is; jumps hold labels until the end.
    labels: Vec<u32>,
    /// Where `break` and `continue` of each loop go to.
    loops: Vec<(u32, u32)>,
    own: Reg,
    node: Reg,
    /// One for each thread: errors of different threads are different errors.
    site: Site,
    orders: Orders,
    rounds: Rounds,
}

impl Assembler {
    fn new(name: &str, site: Site) -> Assembler {
        let function = Function { name: name.to_owned(), ..Function::default() };
        let (own, node, orders, rounds) = (Reg(0), Reg(0), Orders::default(), Rounds::Counted);
        Assembler { function, labels: Vec::new(), loops: Vec::new(), own, node, site, orders, rounds }
    }

    fn register(&mut self) -> Reg {
        self.function.registers += 1;
        Reg(self.function.registers - 1)
    }

    fn constant(&mut self, constant: Constant) -> Operand {
        // Once each, as front ends do it: the same access is the same instruction.
        let constants = &mut self.function.constants;
        let index = constants.iter().position(|&known| known == constant).unwrap_or_else(|| {
            constants.push(constant);
            constants.len() - 1
        });
        Operand::Const(index as u16)
    }

    fn number(&mut self, value: u64) -> Operand {
        self.constant(Constant::Value(value))
    }

    fn global(&mut self, global: u32) -> Operand {
        self.constant(Constant::Global(GlobalId(global), 0))
    }

    fn op(&mut self, op: Op) {
        self.function.code.push(op);
        self.function.sites.push(self.site);
    }

    fn list(&mut self, operands: &[Operand]) -> List {
        let first = self.function.operands.len() as u32;
        self.function.operands.extend(operands);
        List { first, len: operands.len() as u16 }
    }

    fn label(&mut self) -> u32 {
        self.labels.push(0);
        self.labels.len() as u32 - 1
    }

    fn place(&mut self, label: u32) {
        self.labels[label as usize] = self.function.code.len() as u32;
    }

    fn finish(mut self) -> Function {
        for op in &mut self.function.code {
            match op {
                Op::Jump(to) => *to = self.labels[*to as usize],
                Op::Branch { then, otherwise, .. } => {
                    *then = self.labels[*then as usize];
                    *otherwise = self.labels[*otherwise as usize];
                }
                _ => {}
            }
        }
        self.function
    }

    fn branch(&mut self, test: Test, then: u32, otherwise: u32) {
        let (dst, b) = (self.register(), self.number(test.value));
        self.op(Op::Cmp { op: test.op, width: 64, dst, a: Operand::Reg(Reg(test.register)), b });
        self.op(Op::Branch { condition: Operand::Reg(dst), then, otherwise });
    }

    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn store_plain(&mut self, address: Operand, value: Operand, size: u8) {
        self.op(Op::Store { size, order: WriteOrder::NotAtomic, address, value });
    }

    fn load_plain(&mut self, dst: Reg, address: Operand, size: u8) {
        self.op(Op::Load { size, order: ReadOrder::NotAtomic, partial: false, dst, address });
    }

    fn compare_exchange(&mut self, at: (u32, u8), success: Reg, old: Reg, expected: Operand, new: Operand) {
        let address = self.global(at.0);
        let Orders { rmw: order, failure, weak, .. } = self.orders;
        let (size, dst) = (at.1, old);
        self.op(Op::CompareExchange { size, order, failure, weak, dst, success, address, expected, new });
    }

    fn statement(&mut self, statement: &Statement) {
        let reg = |register: u16| Operand::Reg(Reg(register));
        let (own, node) = (Operand::Reg(self.own), Operand::Reg(self.node));
        match *statement {
            Statement::Load(dst, x) => {
                let (address, order) = (self.global(x), self.orders.load);
                self.op(Op::Load { size: 4, order, partial: false, dst: Reg(dst), address });
            }
            Statement::Store(x, value) => {
                let (address, value) = (self.global(x), self.number(value));
                self.op(Op::Store { size: 4, order: self.orders.store, address, value });
            }
            Statement::StoreRegister(x, value) => {
                let address = self.global(x);
                self.op(Op::Store { size: 4, order: WriteOrder::Relaxed, address, value: reg(value) });
            }
            Statement::Rmw(dst, x, kind, value) => {
                let (address, value) = (self.global(x), self.number(value));
                self.op(Op::Rmw { kind, size: 4, order: self.orders.rmw, dst: Reg(dst), address, value });
            }
            Statement::CompareExchange { success, expected, global, new, updates } => {
                let (old, new) = (self.register(), self.new_value(new, reg(expected)));
                self.compare_exchange((global, 4), Reg(success), old, reg(expected), new);
                if updates {
                    self.op(Op::Move { dst: Reg(expected), a: Operand::Reg(old) });
                }
            }
            Statement::TryLock(success, x) => {
                let (old, zero, one) = (self.register(), self.number(0), self.number(1));
                self.compare_exchange((x, 4), Reg(success), old, zero, one);
            }
            Statement::Set(dst, value) => {
                let a = self.number(value);
                self.op(Op::Move { dst: Reg(dst), a });
            }
            Statement::Copy(dst, a) => self.op(Op::Move { dst: Reg(dst), a: reg(a) }),
            Statement::Increment(dst) => {
                let b = self.number(1);
                self.op(Op::Bin { op: BinOp::Add, width: 8, dst: Reg(dst), a: reg(dst), b });
            }
            Statement::Count(dst) => {
                let b = self.number(1);
                self.op(Op::Bin { op: BinOp::Add, width: 64, dst: Reg(dst), a: reg(dst), b });
            }
            Statement::Hint => {
                let arguments = self.list(&[]);
                self.op(Op::Builtin { builtin: Builtin::Hint, arguments, result: None });
            }
            Statement::Fence => self.op(Op::Fence(FenceOrder::SeqCst)),
            Statement::LoadPlain(dst) => {
                let address = self.global(PLAIN);
                self.load_plain(Reg(dst), address, 4);
            }
            Statement::StorePlain(value) => {
                let (address, value) = (self.global(PLAIN), self.number(value));
                self.store_plain(address, value, 4);
            }
            Statement::LoadNumberPlain(dst, x) => {
                let address = self.global(x);
                self.load_plain(Reg(dst), address, 4);
            }
            Statement::StoreNumberPlain(x, value) => {
                let (address, value) = (self.global(x), self.number(value));
                self.store_plain(address, value, 4);
            }
            Statement::LoadGuarded(dst) => {
                let address = self.global(GUARDED);
                self.load_plain(Reg(dst), address, 4);
            }
            Statement::StoreGuarded(value) => {
                let (address, value) = (self.global(GUARDED), self.number(value));
                self.store_plain(address, value, 4);
            }
            Statement::Locked { ref inner, turned } => {
                let calls = [Builtin::MutexLock, Builtin::MutexUnlock];
                self.mutex(calls[usize::from(turned)]);
                self.statements(inner);
                self.mutex(calls[usize::from(!turned)]);
            }
            Statement::LoadOwn(dst) => self.load_plain(Reg(dst), own, 8),
            Statement::StoreOwn(value) => self.store_plain(own, reg(value), 8),
            Statement::IncrementOwn => {
                let (dst, b) = (self.register(), self.number(1));
                self.load_plain(dst, own, 8);
                self.op(Op::Bin { op: BinOp::Add, width: 8, dst, a: Operand::Reg(dst), b });
                self.store_plain(own, Operand::Reg(dst), 8);
            }
            Statement::LoadNode(dst) => self.load_plain(Reg(dst), node, 8),
            Statement::StoreNode(value) => self.store_plain(node, reg(value), 8),
            Statement::Push { success, top } => {
                let old = self.register();
                self.compare_exchange((POINTER, 8), Reg(success), old, reg(top), node);
            }
            Statement::LoadPointer(dst) => {
                let (address, order) = (self.global(POINTER), ReadOrder::Acquire);
                self.op(Op::Load { size: 8, order, partial: false, dst: Reg(dst), address });
            }
            Statement::Follow(dst) => self.at_top(|asm, top| asm.load_plain(Reg(dst), top, 8)),
            Statement::Clobber(x, value) => {
                let (address, value) = (self.global(x), self.number(value));
                self.store_plain(address, value, 4);
            }
            Statement::PeekNode(dst) => {
                let order = self.orders.load;
                self.op(Op::Load { size: 8, order, partial: false, dst: Reg(dst), address: node });
            }
            Statement::Share => {
                let (address, order) = (self.global(POINTER), WriteOrder::Release);
                self.op(Op::Store { size: 8, order, address, value: node });
            }
            Statement::WriteTop(value) => {
                let value = self.number(value);
                self.at_top(|asm, top| asm.store_plain(top, value, 8));
            }
            Statement::FreeTop => self.at_top(|asm, top| {
                let arguments = asm.list(&[top]);
                asm.op(Op::Builtin { builtin: Builtin::Free, arguments, result: None });
            }),
            Statement::AssertNot(register, value) => {
                let (wrong, end) = (self.label(), self.label());
                self.branch(Test { register, op: CmpOp::Eq, value }, wrong, end);
                self.place(wrong);
                let arguments = self.list(&[]);
                self.op(Op::Builtin { builtin: Builtin::VerifierError, arguments, result: None });
                self.place(end);
            }
            Statement::If(test, ref inner) => {
                let (then, end) = (self.label(), self.label());
                self.branch(test, then, end);
                self.place(then);
                self.statements(inner);
                self.place(end);
            }
            Statement::While(test, ref body) => self.while_loop(test, body),
            Statement::DoWhile(ref body, test) => self.do_loop(body, test),
            Statement::Forever(ref body) => self.forever(body),
            Statement::Block(ref inner) => self.statements(inner),
            Statement::Break => {
                let (to, _) = *self.loops.last().expect("only in loops");
                self.jump_over(to);
            }
            Statement::Continue => {
                let (_, to) = *self.loops.last().expect("only in loops");
                self.jump_over(to);
            }
        }
    }

    fn new_value(&mut self, new: New, expected: Operand) -> Operand {
        match new {
            New::Number(number) => self.number(number),
            New::Next => {
                let (dst, b) = (self.register(), self.number(1));
                self.op(Op::Bin { op: BinOp::Add, width: 8, dst, a: expected, b });
                Operand::Reg(dst)
            }
        }
    }

    fn mutex(&mut self, builtin: Builtin) {
        let mutex = self.global(MUTEX);
        let arguments = self.list(&[mutex]);
        self.op(Op::Builtin { builtin, arguments, result: None });
    }

    /// Jump; what follows cannot be reached.
    fn jump_over(&mut self, to: u32) {
        self.op(Op::Jump(to));
    }

    /// Do something with the pointer if there is one.
    fn at_top(&mut self, act: impl FnOnce(&mut Assembler, Operand)) {
        let (address, order) = (self.global(POINTER), ReadOrder::Acquire);
        let (pointer, then, end) = (self.register(), self.label(), self.label());
        self.op(Op::Load { size: 8, order, partial: false, dst: pointer, address });
        self.op(Op::Branch { condition: Operand::Reg(pointer), then, otherwise: end });
        self.place(then);
        act(self, Operand::Reg(pointer));
        self.place(end);
    }

    fn counter(&mut self) -> Reg {
        let (counter, zero) = (self.register(), self.number(0));
        self.op(Op::Move { dst: counter, a: zero });
        counter
    }

    fn count(&mut self, counter: Reg) {
        if self.rounds == Rounds::Counted {
            self.op(Op::Unroll { counter });
        }
    }

    fn while_loop(&mut self, test: Test, body: &[Statement]) {
        let counter = self.counter();
        let (head, inside, back, end) = (self.label(), self.label(), self.label(), self.label());
        self.place(head);
        self.branch(test, inside, end);
        self.place(inside);
        self.loops.push((end, back));
        self.statements(body);
        self.loops.pop();
        self.place(back);
        self.count(counter);
        self.op(Op::Jump(head));
        self.place(end);
    }

    fn forever(&mut self, body: &[Statement]) {
        let counter = self.counter();
        let (head, back, end) = (self.label(), self.label(), self.label());
        self.place(head);
        self.loops.push((end, back));
        self.statements(body);
        self.loops.pop();
        self.place(back);
        self.count(counter);
        self.op(Op::Jump(head));
        self.place(end);
    }

    fn do_loop(&mut self, body: &[Statement], test: Test) {
        let counter = self.counter();
        let (head, next, back, end) = (self.label(), self.label(), self.label(), self.label());
        self.place(head);
        self.loops.push((end, next));
        self.statements(body);
        self.loops.pop();
        self.place(next);
        self.branch(test, back, end);
        self.place(back);
        self.count(counter);
        self.op(Op::Jump(head));
        self.place(end);
    }
}
