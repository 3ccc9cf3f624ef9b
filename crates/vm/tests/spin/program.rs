//! Small programs made at random: threads that wait, retry and count, as bytecode.

use base::{FenceOrder, ReadOrder, RmwOrder, Site, WriteOrder};
use vm::Builtin;
use vm::bytecode::{
    BinOp, CmpOp, Constant, Function, FunctionId, Global, GlobalId, List, Module, Op, Operand, Reg, RmwKind,
    SiteInfo,
};

/// Registers that a program computes with.
pub(crate) const REGISTERS: u16 = 4;
/// Their values are below this.
const VALUES: u64 = 3;
/// Globals: two numbers, a pointer, and a number that is only accessed plainly.
pub(crate) const NUMBERS: u32 = 2;
const POINTER: u32 = 2;
const PLAIN: u32 = 3;
/// How deep loops and conditions are in each other.
const MAX_DEPTH: u32 = 2;

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
        new: u64,
        updates: bool,
    },
    /// The same with the number 0 expected.
    TryLock(u16, u32),
    Set(u16, u64),
    Copy(u16, u16),
    Increment(u16),
    Fence,
    LoadPlain(u16),
    StorePlain(u64),
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
    AssertNot(u16, u64),
    If(Test, Vec<Statement>),
    While(Test, Vec<Statement>),
    DoWhile(Vec<Statement>, Test),
    /// Only `Break` leaves it.
    Forever(Vec<Statement>),
    Break,
    Continue,
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
}

impl Thread {
    /// One that returns nothing.
    pub(crate) fn new(statements: &[Statement]) -> Thread {
        Thread { statements: statements.to_vec(), returns: Vec::new() }
    }
}

/// Small numbers that look random.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        for _ in 0..4 {
            dice.below(2);
        }
        dice
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn register(&mut self) -> u16 {
        self.below(u64::from(REGISTERS)) as u16
    }

    fn number(&mut self) -> u32 {
        self.below(u64::from(NUMBERS)) as u32
    }

    fn value(&mut self) -> u64 {
        self.below(VALUES)
    }

    fn test(&mut self, register: u16) -> Test {
        let op = if self.below(2) == 0 { CmpOp::Eq } else { CmpOp::Ne };
        Test { register, op, value: self.value() }
    }

    /// Two or three threads; more of them are shorter.
    pub(crate) fn program(&mut self) -> Vec<Thread> {
        let threads = 2 + self.below(2);
        (0..threads).map(|_| self.thread(7 - threads)).collect()
    }

    /// Two or three threads that add to `x` and undo it, or look at that.
    pub(crate) fn undoing_program(&mut self) -> Vec<Thread> {
        let threads = 2 + self.below(2);
        let mut program: Vec<Thread> = (1..threads).map(|_| self.undoing_thread()).collect();
        program.push(if self.below(2) == 0 { self.undoing_thread() } else { self.looking_thread() });
        program
    }

    /// Maybe a statement, then attempts until one succeeds, then maybe another statement and a release.
    fn undoing_thread(&mut self) -> Thread {
        let number = 1 + self.below(2);
        let mut body = vec![Statement::Rmw(0, 0, RmwKind::Add, number)];
        body.push(Statement::If(self.test(0), vec![Statement::Break]));
        let undo = Statement::Rmw(1, 0, RmwKind::Sub, if self.below(8) == 0 { self.value() } else { number });
        body.push(undo);
        match self.below(4) {
            // As Linux's locks wait before they try again.
            0 => {
                let test = self.test(2);
                body.push(Statement::DoWhile(vec![Statement::Load(2, 0)], test));
            }
            1 => {
                let (at, more) = (self.below(4) as usize, self.looking());
                body.insert(at, more);
            }
            _ => {}
        }
        let mut statements: Vec<Statement> = (0..self.below(2)).map(|_| self.looking()).collect();
        statements.push(Statement::Forever(body));
        statements.extend((0..self.below(2)).map(|_| self.looking()));
        if self.below(3) > 0 {
            statements.push(Statement::Rmw(self.register(), 0, RmwKind::Sub, number));
        }
        let returns = (0..REGISTERS).filter(|_| self.below(3) == 0).collect();
        Thread { statements, returns }
    }

    fn looking_thread(&mut self) -> Thread {
        let mut statements: Vec<Statement> = (0..1 + self.below(3)).map(|_| self.looking()).collect();
        if self.below(3) == 0 {
            statements.push(Statement::AssertNot(self.register(), self.value()));
        }
        let returns = (0..REGISTERS).filter(|_| self.below(2) == 0).collect();
        Thread { statements, returns }
    }

    fn looking(&mut self) -> Statement {
        match self.below(16) {
            0..5 => Statement::Load(self.register(), 0),
            5..8 => Statement::Rmw(self.register(), 0, RmwKind::Add, self.value()),
            8..10 => Statement::Rmw(self.register(), 0, RmwKind::Sub, self.value()),
            10 => Statement::TryLock(self.register(), 0),
            11 => Statement::Store(0, self.value()),
            12 => {
                let register = self.register();
                Statement::If(self.test(register), vec![Statement::Load(self.register(), 0)])
            }
            13 => Statement::Load(self.register(), 1),
            14 => Statement::Store(1, self.value()),
            _ => Statement::StorePlain(self.value()),
        }
    }

    fn thread(&mut self, most: u64) -> Thread {
        let len = 1 + self.below(most);
        let mut statements: Vec<Statement> = (0..len).map(|_| self.statement(0, false)).collect();
        if self.below(3) == 0 {
            statements.push(Statement::AssertNot(self.register(), self.value()));
        }
        let returns = (0..REGISTERS).filter(|_| self.below(3) == 0).collect();
        Thread { statements, returns }
    }

    fn statement(&mut self, depth: u32, in_loop: bool) -> Statement {
        match self.below(if depth < MAX_DEPTH { 36 } else { 22 }) {
            0..4 => Statement::Load(self.register(), self.number()),
            4..7 => Statement::Store(self.number(), self.value()),
            7 => Statement::StoreRegister(self.number(), self.register()),
            8 => {
                let kind = if self.below(2) == 0 { RmwKind::Exchange } else { RmwKind::Add };
                Statement::Rmw(self.register(), self.number(), kind, self.value())
            }
            9 => {
                let (success, expected, global) = (self.register(), self.register(), self.number());
                let (new, updates) = (self.value(), self.below(2) == 0);
                Statement::CompareExchange { success, expected, global, new, updates }
            }
            10 => Statement::TryLock(self.register(), self.number()),
            11 => Statement::Set(self.register(), self.value()),
            12 => Statement::Copy(self.register(), self.register()),
            13 => Statement::Increment(self.register()),
            14 => Statement::Fence,
            15 => Statement::LoadPlain(self.register()),
            16 => Statement::StorePlain(self.value()),
            17 => Statement::LoadOwn(self.register()),
            18 => match self.below(2) {
                0 => Statement::StoreOwn(self.register()),
                _ => Statement::IncrementOwn,
            },
            19 => match self.below(5) {
                0 => Statement::StoreNode(self.register()),
                1 => Statement::LoadNode(self.register()),
                2 => Statement::Push { success: self.register(), top: self.register() },
                3 => Statement::LoadPointer(self.register()),
                _ => Statement::Follow(self.register()),
            },
            20 | 21 if in_loop => match self.below(2) {
                0 => Statement::Break,
                _ => Statement::Continue,
            },
            20 | 21 => Statement::AssertNot(self.register(), self.value()),
            22..24 => {
                let register = self.register();
                Statement::If(self.test(register), self.block(depth + 1, in_loop))
            }
            24..28 => self.shape(),
            _ => self.random_loop(depth + 1),
        }
    }

    fn block(&mut self, depth: u32, in_loop: bool) -> Vec<Statement> {
        (0..1 + self.below(2)).map(|_| self.statement(depth, in_loop)).collect()
    }

    /// A loop that reads something and tests it, with anything else in it.
    fn random_loop(&mut self, depth: u32) -> Statement {
        let register = self.register();
        let mut body: Vec<Statement> = (0..self.below(3)).map(|_| self.statement(depth, true)).collect();
        let read = match self.below(4) {
            0 => Statement::TryLock(register, self.number()),
            _ => Statement::Load(register, self.number()),
        };
        let at = self.below(body.len() as u64 + 1) as usize;
        body.insert(at, read);
        let test = self.test(register);
        if self.below(2) == 0 { Statement::While(test, body) } else { Statement::DoWhile(body, test) }
    }

    /// A loop as people write them.
    fn shape(&mut self) -> Statement {
        let (a, b, x) = (self.register(), self.register(), self.number());
        let failed = Test { register: b, op: CmpOp::Eq, value: 0 };
        let update =
            |updates, new| Statement::CompareExchange { success: b, expected: a, global: x, new, updates };
        match self.below(5) {
            // CAS-LOOP and CAS-LOOP2.
            0 => Statement::DoWhile(vec![Statement::Load(a, x), update(false, self.value())], failed),
            1 => Statement::While(failed, vec![Statement::Load(a, x), update(true, self.value())]),
            // A spinlock.
            2 => Statement::DoWhile(vec![Statement::TryLock(b, x)], failed),
            // Test and test-and-set.
            3 => Statement::DoWhile(
                vec![
                    Statement::DoWhile(
                        vec![Statement::Load(a, x)],
                        Test { register: a, op: CmpOp::Ne, value: 0 },
                    ),
                    Statement::Rmw(b, x, RmwKind::Exchange, 1),
                ],
                Test { register: b, op: CmpOp::Ne, value: 0 },
            ),
            // The push of a Treiber stack.
            _ => {
                let push = Statement::Push { success: b, top: a };
                let mut body = vec![Statement::LoadPointer(a), Statement::StoreNode(a), push];
                let other = self.register();
                let more = match self.below(6) {
                    0 => Some(Statement::LoadNode(other)),
                    1 => Some(Statement::StoreNode(other)),
                    2 => Some(Statement::Increment(other)),
                    3 => Some(Statement::IncrementOwn),
                    _ => None,
                };
                let at = self.below(4) as usize;
                more.into_iter().for_each(|more| body.insert(at, more));
                Statement::DoWhile(body, failed)
            }
        }
    }
}

/// The program as a module: `main` creates the threads and ends.
pub(crate) fn module(threads: &[Thread]) -> Module {
    let functions = std::iter::once(main(threads.len()))
        .chain((1..).zip(threads).map(|(i, it)| lower(it, Site(i))))
        .collect();
    let global = |name: &str, size| Global {
        name: name.to_owned(),
        bytes: vec![0; size],
        align: 8,
        ..Global::default()
    };
    Module {
        functions,
        globals: vec![global("x", 4), global("y", 4), global("pointer", 8), global("plain", 4)],
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

fn lower(thread: &Thread, site: Site) -> Function {
    let mut asm = Assembler::new("thread", site);
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
}

impl Assembler {
    fn new(name: &str, site: Site) -> Assembler {
        let function = Function { name: name.to_owned(), ..Function::default() };
        Assembler { function, labels: Vec::new(), loops: Vec::new(), own: Reg(0), node: Reg(0), site }
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
        let (order, failure) = (RmwOrder::AcqRel, ReadOrder::Acquire);
        let (size, weak, dst) = (at.1, false, old);
        self.op(Op::CompareExchange { size, order, failure, weak, dst, success, address, expected, new });
    }

    fn statement(&mut self, statement: &Statement) {
        let reg = |register: u16| Operand::Reg(Reg(register));
        let (own, node) = (Operand::Reg(self.own), Operand::Reg(self.node));
        match *statement {
            Statement::Load(dst, x) => {
                let (address, order) = (self.global(x), ReadOrder::Acquire);
                self.op(Op::Load { size: 4, order, partial: false, dst: Reg(dst), address });
            }
            Statement::Store(x, value) => {
                let (address, value) = (self.global(x), self.number(value));
                self.op(Op::Store { size: 4, order: WriteOrder::Release, address, value });
            }
            Statement::StoreRegister(x, value) => {
                let address = self.global(x);
                self.op(Op::Store { size: 4, order: WriteOrder::Relaxed, address, value: reg(value) });
            }
            Statement::Rmw(dst, x, kind, value) => {
                let (address, value) = (self.global(x), self.number(value));
                self.op(Op::Rmw { kind, size: 4, order: RmwOrder::AcqRel, dst: Reg(dst), address, value });
            }
            Statement::CompareExchange { success, expected, global, new, updates } => {
                let (old, new) = (self.register(), self.number(new));
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
            Statement::Fence => self.op(Op::Fence(FenceOrder::SeqCst)),
            Statement::LoadPlain(dst) => {
                let address = self.global(PLAIN);
                self.load_plain(Reg(dst), address, 4);
            }
            Statement::StorePlain(value) => {
                let (address, value) = (self.global(PLAIN), self.number(value));
                self.store_plain(address, value, 4);
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
            Statement::Follow(dst) => self.follow(Reg(dst)),
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

    /// Jump; what follows cannot be reached.
    fn jump_over(&mut self, to: u32) {
        self.op(Op::Jump(to));
    }

    fn follow(&mut self, dst: Reg) {
        let (address, order) = (self.global(POINTER), ReadOrder::Acquire);
        let (pointer, then, end) = (self.register(), self.label(), self.label());
        self.op(Op::Load { size: 8, order, partial: false, dst: pointer, address });
        self.op(Op::Branch { condition: Operand::Reg(pointer), then, otherwise: end });
        self.place(then);
        self.load_plain(dst, Operand::Reg(pointer), 8);
        self.place(end);
    }

    fn counter(&mut self) -> Reg {
        let (counter, zero) = (self.register(), self.number(0));
        self.op(Op::Move { dst: counter, a: zero });
        counter
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
        self.op(Op::Unroll { counter });
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
        self.op(Op::Unroll { counter });
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
        self.op(Op::Unroll { counter });
        self.op(Op::Jump(head));
        self.place(end);
    }
}
