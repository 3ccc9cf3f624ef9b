//! Small programs made at random: threads that wait, retry and count.

use super::program::{NUMBERS, New, Orders, REGISTERS, Statement, Test, Thread};
use crate::dice::Dice;
use base::{ReadOrder, RmwOrder, WriteOrder};
use vm::bytecode::{CmpOp, RmwKind};

/// Values of registers are below this.
const VALUES: u64 = 3;
/// How deep loops and conditions are in each other.
const MAX_DEPTH: u32 = 2;

impl Dice {
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

    /// A thread that carries what it read, or waits under the mutex, beside one or two that write: side conditions of both
    /// matter here more often than elsewhere.
    pub(crate) fn handing_program(&mut self) -> Vec<Thread> {
        let first = match self.below(2) {
            0 => self.carrying(0, 1, 0),
            _ => self.awaits_under_mutex(1),
        };
        let mut statements = vec![first];
        statements.extend((0..1 + self.below(2)).map(|_| self.simple()));
        let mut threads =
            vec![Thread { statements, returns: (0..REGISTERS).collect(), orders: self.any_orders() }];
        for _ in 0..1 + self.below(2) {
            let statements = (0..1 + self.below(3)).map(|_| self.simple()).collect();
            threads.push(Thread { statements, returns: vec![self.register()], orders: self.any_orders() });
        }
        threads
    }

    /// A thread whose rounds are often decided before they end, beside one or two that write. With `danger`, these may write
    /// plainly, or free, what the rounds read.
    pub(crate) fn futile_program(&mut self, danger: bool) -> Vec<Thread> {
        let mut statements: Vec<Statement> = (0..self.below(2)).map(|_| self.simple()).collect();
        if danger && self.below(2) == 0 {
            statements.push(Statement::Share);
        }
        statements.push(self.decided_early());
        statements.extend((0..self.below(3)).map(|_| self.simple()));
        let returns = (0..REGISTERS).filter(|_| self.below(3) == 0).collect();
        let mut threads = vec![Thread { statements, returns, orders: self.any_orders() }];
        for _ in 0..1 + self.below(2) {
            let mut statements: Vec<Statement> = (0..1 + self.below(3)).map(|_| self.simple()).collect();
            if danger {
                let at = self.below(statements.len() as u64 + 1) as usize;
                statements.insert(at, self.endangering());
            }
            if self.below(8) == 0 {
                statements.push(self.decided_early());
            }
            threads.push(Thread { statements, returns: vec![self.register()], orders: self.any_orders() });
        }
        threads
    }

    /// A thread that leaves a loop and then lets others write plainly, or free, what its rounds have read.
    pub(crate) fn leaving_program(&mut self) -> Vec<Thread> {
        let mut statements: Vec<Statement> = (0..self.below(2)).map(|_| self.simple()).collect();
        if self.below(2) == 0 {
            statements.push(Statement::Share);
        }
        statements.push(match self.below(4) {
            0 => self.shape(),
            1 => self.paired_round(),
            _ => self.decided_early(),
        });
        let told = self.number();
        statements.push(match self.below(3) {
            0 => Statement::Rmw(self.register(), told, RmwKind::Add, 1),
            _ => Statement::Store(told, 1 + self.below(VALUES - 1)),
        });
        let returns = (0..REGISTERS).filter(|_| self.below(3) == 0).collect();
        let mut threads = vec![Thread { statements, returns, orders: self.any_orders() }];
        for _ in 0..1 + self.below(2) {
            let mut statements: Vec<Statement> = (0..self.below(3)).map(|_| self.simple()).collect();
            let register = self.register();
            let test = Test { register, op: CmpOp::Ne, value: 0 };
            statements.push(Statement::Load(register, told));
            statements.push(Statement::If(test, vec![self.endangering()]));
            statements.extend((0..self.below(2)).map(|_| self.simple()));
            threads.push(Thread { statements, returns: vec![self.register()], orders: self.any_orders() });
        }
        threads.rotate_left(self.below(2) as usize);
        threads
    }

    /// A thread whose rounds read plainly, beside one or two that write there: at any time, or when it has left the loop.
    pub(crate) fn plain_program(&mut self) -> Vec<Thread> {
        let mut statements: Vec<Statement> = (0..self.below(2)).map(|_| self.simple()).collect();
        statements.push(self.looks_plainly());
        let told = self.number();
        match self.below(4) {
            0 => {}
            1 => statements.push(Statement::Rmw(self.register(), told, RmwKind::Add, 1)),
            _ => statements.push(Statement::Store(told, 1 + self.below(VALUES - 1))),
        }
        let returns = (0..REGISTERS).filter(|_| self.below(8) == 0).collect();
        let mut threads = vec![Thread { statements, returns, orders: self.any_orders() }];
        for _ in 0..1 + self.below(2) {
            let mut statements: Vec<Statement> = (0..self.below(3)).map(|_| self.simple()).collect();
            let register = self.register();
            let writes = self.writes_plainly();
            match self.below(4) {
                0 => statements.push(writes),
                _ => {
                    statements.push(Statement::Load(register, told));
                    let test = Test { register, op: CmpOp::Ne, value: 0 };
                    statements.push(Statement::If(test, vec![writes]));
                }
            }
            statements.extend((0..self.below(2)).map(|_| self.simple()));
            if self.below(8) == 0 {
                statements.push(self.looks_plainly());
            }
            threads.push(Thread { statements, returns: vec![self.register()], orders: self.any_orders() });
        }
        threads.rotate_left(self.below(2) as usize);
        threads
    }

    /// A loop with plain reads, some of them under the mutex, in every round or in some.
    fn looks_plainly(&mut self) -> Statement {
        let (decides, x) = (self.register(), self.number());
        let mut body: Vec<Statement> = (0..1 + self.below(2)).map(|_| self.plain_look()).collect();
        let decision = match self.below(6) {
            0 => self.rmw(decides),
            1 => Statement::TryLock(decides, x),
            _ => Statement::Load(decides, x),
        };
        let at = self.below(body.len() as u64 + 1) as usize;
        let test = match self.below(2) {
            0 => Test { register: decides, op: CmpOp::Eq, value: 0 },
            _ => self.test(decides),
        };
        if self.below(2) == 0 {
            body.insert(at, decision);
            return Statement::DoWhile(body, test);
        }
        let left = Test { op: if test.op == CmpOp::Eq { CmpOp::Ne } else { CmpOp::Eq }, ..test };
        body.splice(at..at, [decision, Statement::If(left, vec![Statement::Break])]);
        Statement::Forever(body)
    }

    fn plain_look(&mut self) -> Statement {
        let register = self.register();
        let look = match self.below(6) {
            0 | 1 => Statement::LoadPlain(register),
            2 => Statement::LoadNumberPlain(register, self.number()),
            3 => Statement::LoadGuarded(register),
            4 => Statement::Follow(register),
            _ => Statement::Load(register, self.number()),
        };
        let tested = self.register();
        match self.below(4) {
            0 => Statement::If(self.test(tested), vec![look]),
            1 => {
                let inner = vec![Statement::If(self.test(tested), vec![look])];
                Statement::Locked { inner, turned: false }
            }
            2 => Statement::Locked { inner: vec![look], turned: false },
            _ => look,
        }
    }

    fn writes_plainly(&mut self) -> Statement {
        let value = self.value();
        match self.below(7) {
            0 | 1 => Statement::StorePlain(value),
            6 => Statement::Store(self.number(), value),
            2 => Statement::StoreGuarded(value),
            3 => Statement::Locked { inner: vec![Statement::StorePlain(value)], turned: false },
            4 => Statement::WriteTop(value),
            _ => Statement::Locked { inner: vec![Statement::StoreGuarded(value)], turned: false },
        }
    }

    fn endangering(&mut self) -> Statement {
        match self.below(8) {
            0..3 => Statement::Clobber(self.number(), self.value()),
            6.. => {
                let inner = vec![Statement::Clobber(self.number(), self.value())];
                Statement::Locked { inner, turned: false }
            }
            3 => Statement::WriteTop(self.value()),
            4 => Statement::FreeTop,
            _ => {
                let (register, clobber) = (self.register(), Statement::Clobber(self.number(), self.value()));
                Statement::If(self.test(register), vec![clobber])
            }
        }
    }

    /// A loop that is left in the middle of its rounds; what comes after that makes mostly no difference.
    fn decided_early(&mut self) -> Statement {
        let (decides, x) = (self.register(), self.number());
        let mut body: Vec<Statement> = (0..self.below(3)).map(|_| self.looks_on(0)).collect();
        body.push(match self.below(8) {
            0..3 => self.rmw(decides),
            3 => Statement::TryLock(decides, x),
            _ => Statement::Load(decides, x),
        });
        body.push(Statement::If(self.test(decides), vec![Statement::Break]));
        body.extend((0..1 + self.below(3)).map(|_| self.looks_on(0)));
        Statement::Forever(body)
    }

    /// What a round does that does not matter any more, mostly.
    fn looks_on(&mut self, depth: u32) -> Statement {
        let register = self.register();
        match self.below(if depth < MAX_DEPTH { 24 } else { 16 }) {
            0..8 => Statement::Load(register, self.number()),
            8 | 9 => Statement::PeekNode(register),
            10 => Statement::Fence,
            11 => Statement::Set(register, self.value()),
            12 => Statement::Copy(register, self.register()),
            13 => Statement::Increment(register),
            14 => match self.below(6) {
                4.. => Statement::Locked { inner: vec![Statement::Load(register, 0)], turned: false },
                0 => Statement::Store(self.number(), self.value()),
                1 => Statement::LoadPlain(register),
                2 => Statement::IncrementOwn,
                _ => self.rmw(register),
            },
            15 => Statement::AssertNot(register, self.value()),
            16..20 => {
                let read = Statement::Load(register, self.number());
                Statement::DoWhile(vec![read], self.test(register))
            }
            20 => Statement::While(self.test(register), vec![self.looks_on(depth + 1)]),
            _ => Statement::If(self.test(register), vec![self.looks_on(depth + 1)]),
        }
    }

    fn simple(&mut self) -> Statement {
        match self.below(8) {
            0..3 => Statement::Store(self.number(), self.value()),
            3 | 4 => Statement::Load(self.register(), self.number()),
            5 => Statement::Rmw(self.register(), self.number(), RmwKind::Add, 1),
            6 => self.locked(false),
            _ => {
                let (register, guarded) = (self.register(), self.guarded());
                Statement::If(self.test(register), vec![guarded])
            }
        }
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
        Thread { statements, returns, orders: Orders::default() }
    }

    fn looking_thread(&mut self) -> Thread {
        let mut statements: Vec<Statement> = (0..1 + self.below(3)).map(|_| self.looking()).collect();
        if self.below(3) == 0 {
            statements.push(Statement::AssertNot(self.register(), self.value()));
        }
        let returns = (0..REGISTERS).filter(|_| self.below(2) == 0).collect();
        Thread { statements, returns, orders: Orders::default() }
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

    /// A thread that goes on with the value that its last attempt has found, after looking at it, beside one or two that
    /// write several times.
    pub(crate) fn carried_program(&mut self) -> Vec<Thread> {
        let mut statements: Vec<Statement> = (0..self.below(2)).map(|_| self.simple()).collect();
        statements.push(self.carried_round());
        statements.extend((0..self.below(2)).map(|_| self.simple()));
        let returns = (0..REGISTERS).filter(|_| self.below(2) == 0).collect();
        let mut threads = vec![Thread { statements, returns, orders: self.any_orders() }];
        for _ in 0..1 + self.below(2) {
            let mut statements: Vec<Statement> = (0..self.below(2)).map(|_| self.simple()).collect();
            statements.extend((0..1 + self.below(3)).map(|_| Statement::Store(0, self.value())));
            if self.below(8) == 0 {
                statements = vec![self.carried_round()];
            }
            threads.push(Thread { statements, returns: vec![self.register()], orders: self.any_orders() });
        }
        threads.rotate_left(self.below(2) as usize);
        threads
    }

    /// `a = x; for (;;) { if (guard(a)) break; if (CAS(x, a, new)) break; }` with one or two attempts, often not quite that.
    fn carried_round(&mut self) -> Statement {
        let (a, b) = (self.below(2) as u16, 2 + self.below(2) as u16);
        let succeeded = Test { register: b, op: CmpOp::Ne, value: 0 };
        let x = u32::from(self.below(16) == 0);
        let mut body = Vec::new();
        for _ in 0..self.below(3) {
            let end = if self.below(3) == 0 { Statement::Continue } else { Statement::Break };
            body.push(Statement::If(self.test(a), vec![end]));
        }
        let attempt = |dice: &mut Dice| {
            let updates = dice.below(8) > 0;
            Statement::CompareExchange { success: b, expected: a, global: x, new: dice.new_value(), updates }
        };
        if self.below(3) == 0 {
            let first = vec![attempt(self), Statement::If(succeeded, vec![Statement::Break])];
            body.push(Statement::If(self.test(a), first));
        }
        body.push(attempt(self));
        if self.below(16) > 0 {
            body.push(Statement::If(succeeded, vec![Statement::Break]));
        }
        let other = 1 - a;
        let more = match self.below(24) {
            0 => Some(Statement::Load(other, self.number())),
            1 => Some(Statement::Increment(other)),
            2 => Some(Statement::Copy(other, a)),
            3 => Some(Statement::StoreOwn(a)),
            4 => Some(Statement::IncrementOwn),
            5 => Some(Statement::Store(self.number(), self.value())),
            6 => Some(Statement::Set(a, self.value())),
            7 => Some(Statement::LoadPlain(other)),
            8 => Some(Statement::Fence),
            9 | 10 => Some(Statement::Load(a, self.number())),
            11 => Some(Statement::AssertNot(a, self.value())),
            12 => Some(Statement::TryLock(other, self.number())),
            13 => Some(self.rmw(a)),
            _ => None,
        };
        let at = self.below(body.len() as u64 + 1) as usize;
        more.into_iter().for_each(|more| body.insert(at, more));
        let start = match self.below(8) {
            0 => Statement::Set(a, self.value()),
            1 => Statement::Load(a, 1 - x),
            2 => Statement::Block(vec![Statement::Load(a, x), Statement::Load(other, self.number())]),
            3 => Statement::Block(vec![Statement::Load(a, x), Statement::Copy(other, a)]),
            _ => Statement::Load(a, x),
        };
        Statement::Block(vec![start, Statement::Forever(body)])
    }

    /// A thread that counts its attempts, beside one or two that write.
    pub(crate) fn counting_program(&mut self) -> Vec<Thread> {
        let mut statements: Vec<Statement> = (0..self.below(2)).map(|_| self.simple()).collect();
        statements.push(if self.below(8) != 0 { self.counts() } else { self.tries_so_often() });
        statements.extend((0..1 + self.below(2)).map(|_| self.simple()));
        let returns = (0..REGISTERS).filter(|_| self.below(6) == 0).collect();
        let mut threads = vec![Thread { statements, returns, orders: self.any_orders() }];
        for _ in 0..1 + self.below(2) {
            let mut statements: Vec<Statement> = (0..1 + self.below(3)).map(|_| self.simple()).collect();
            if self.below(8) == 0 {
                statements = vec![self.tries_so_often()];
            }
            threads.push(Thread { statements, returns: vec![self.register()], orders: self.any_orders() });
        }
        threads.rotate_left(self.below(2) as usize);
        threads
    }

    /// An attempt, and the test with which it has succeeded.
    fn attempt(&mut self) -> (Statement, Test) {
        let (a, x) = (self.below(2) as u16, self.number());
        match self.below(4) {
            0 => (Statement::TryLock(a, x), Test { register: a, op: CmpOp::Ne, value: 0 }),
            1 => (Statement::Rmw(a, x, RmwKind::Exchange, 1), Test { register: a, op: CmpOp::Eq, value: 0 }),
            2 => (Statement::Load(a, x), self.test(a)),
            // It fails at first.
            _ => (Statement::Load(a, x), Test { register: a, op: CmpOp::Eq, value: 1 + self.below(2) }),
        }
    }

    /// Something that is rarely in a loop that counts in register 3.
    fn beside_counts(&mut self) -> Option<Statement> {
        let other = self.below(3) as u16;
        match self.below(40) {
            0 => Some(Statement::Load(other, self.number())),
            1 => Some(Statement::Fence),
            2 => Some(Statement::StoreRegister(self.number(), 3)),
            3 => Some(Statement::AssertNot(3, 1 + self.below(2))),
            4 => Some(Statement::Count(other)),
            5 => Some(Statement::Copy(other, 3)),
            6 => Some(Statement::Store(self.number(), self.value())),
            7 => Some(Statement::LoadPlain(other)),
            8 => Some(Statement::Set(3, self.value())),
            9 => Some(Statement::IncrementOwn),
            10 => Some(Statement::If(self.test(3), vec![Statement::Break])),
            11 => Some(Statement::If(self.test(other), vec![Statement::Count(3)])),
            12 => Some(Statement::If(self.test(other), vec![Statement::Break])),
            13 => Some(Statement::Set(other, self.value())),
            14 => Some(self.rmw(other)),
            _ => None,
        }
    }

    /// Attempts without a bound, which are counted: after so many the thread pauses.
    fn counts(&mut self) -> Statement {
        let (attempt, succeeded) = self.attempt();
        let mut body = vec![attempt, Statement::If(succeeded, vec![Statement::Break]), Statement::Count(3)];
        let mut pause = vec![Statement::Hint];
        match self.below(6) {
            0 | 1 => pause.push(Statement::Set(3, 0)),
            2 => pause.extend(self.beside_counts()),
            _ => {}
        }
        body.push(match self.below(4) {
            0 => {
                let delay = Test { register: 2, op: CmpOp::Ult, value: 1 + self.below(2) };
                let rounds = Statement::While(delay, vec![Statement::Hint, Statement::Count(2)]);
                Statement::Block(vec![Statement::Set(2, 0), rounds])
            }
            _ => Statement::If(Test { register: 3, ..self.test(3) }, pause),
        });
        let at = self.below(body.len() as u64 + 1) as usize;
        self.beside_counts().into_iter().for_each(|more| body.insert(at, more));
        Statement::Block(vec![Statement::Set(3, 0), Statement::Forever(body)])
    }

    /// Once or twice, and then on.
    fn tries_so_often(&mut self) -> Statement {
        let (attempt, succeeded) = self.attempt();
        let most = if self.below(8) == 0 { 1 } else { 2 };
        let mut body = vec![attempt, Statement::If(succeeded, vec![Statement::Break]), Statement::Count(3)];
        let at = self.below(body.len() as u64 + 1) as usize;
        self.beside_counts().into_iter().for_each(|more| body.insert(at, more));
        let op = if self.below(2) == 0 { CmpOp::Ult } else { CmpOp::Ne };
        let more = Test { register: 3, op, value: most };
        let rounds = match self.below(2) {
            0 => Statement::While(more, body),
            _ => Statement::DoWhile(body, more),
        };
        Statement::Block(vec![Statement::Set(3, 0), rounds])
    }

    /// Two or three threads that update `x` in rounds, or do other things to it. Every loop is cut.
    pub(crate) fn pairing_program(&mut self) -> Vec<Thread> {
        let threads = 2 + self.below(2);
        let exposed = self.below(12) == 0;
        (0..threads).map(|_| self.pairing_thread(6 - threads, exposed)).collect()
    }

    fn pairing_thread(&mut self, most: u64, exposed: bool) -> Thread {
        let mut statements: Vec<Statement> = (0..self.below(2)).map(|_| self.beside_pairs(exposed)).collect();
        if self.below(4) > 0 {
            statements.push(self.paired_round());
        }
        for _ in 0..self.below(most) {
            let more = if self.below(3) == 0 { self.paired_round() } else { self.beside_pairs(exposed) };
            statements.push(more);
        }
        if self.below(4) == 0 {
            statements.push(Statement::AssertNot(self.register(), self.value()));
        }
        let returns = (0..REGISTERS).filter(|_| self.below(2) == 0).collect();
        let mut orders = self.any_orders();
        if self.below(2) == 0 {
            orders.load = ReadOrder::Relaxed;
        }
        Thread { statements, returns, orders }
    }

    /// `for (;;) { a = x; if (guard(a)) continue; if (CAS(x, a, new)) break; }`, and often not quite that.
    fn paired_round(&mut self) -> Statement {
        let (a, b) = (self.below(2) as u16, 2 + self.below(2) as u16);
        let succeeded = Test { register: b, op: CmpOp::Ne, value: 0 };
        if self.below(12) == 0 {
            // The node must be published first.
            let push = vec![Statement::LoadPointer(a), Statement::Push { success: b, top: a }];
            let end = Statement::If(succeeded, vec![Statement::Break]);
            return Statement::Forever(push.into_iter().chain([end]).collect());
        }
        let x = u32::from(self.below(8) == 0);
        let mut body = vec![Statement::Load(a, x)];
        for _ in 0..self.below(3) {
            body.push(Statement::If(self.test(a), vec![Statement::Continue]));
        }
        let mut expected = a;
        let (other, at) = (1 - a, 1 + self.below(body.len() as u64) as usize);
        match self.below(20) {
            0 => body.insert(at, Statement::Load(other, self.number())),
            1 => body.insert(at, Statement::Fence),
            2 => body.insert(at, Statement::Increment(a)),
            3 => body.insert(at, Statement::Set(a, self.value())),
            4..7 => {
                body.insert(at, Statement::Copy(other, a));
                expected = other;
            }
            7 => expected = other,
            _ => {}
        }
        let (global, new) = (if self.below(16) == 0 { 1 - x } else { x }, self.new_value());
        // Who expects what it did not read this time would carry it to the next round.
        let updates = self.below(2) == 0 && expected == a;
        body.push(Statement::CompareExchange { success: b, expected, global, new, updates });
        body.push(Statement::If(succeeded, vec![Statement::Break]));
        Statement::Forever(body)
    }

    fn beside_pairs(&mut self, exposed: bool) -> Statement {
        let kinds = [RmwKind::Add, RmwKind::Sub, RmwKind::Exchange];
        match self.below(16) {
            0..2 => Statement::Load(self.register(), 0),
            2..4 => Statement::Store(0, self.value()),
            4..8 => Statement::Rmw(self.register(), 0, kinds[self.below(3) as usize], self.value()),
            8 => Statement::TryLock(self.register(), 0),
            9 => Statement::Load(self.register(), 1),
            10 => Statement::Store(1, self.value()),
            11 => Statement::StoreRegister(0, self.register()),
            12 => Statement::Fence,
            13 if self.below(4) == 0 => Statement::Follow(self.register()),
            13 => Statement::LoadPlain(self.register()),
            14 if exposed => Statement::StoreNumberPlain(0, self.value()),
            14 => Statement::If(self.test(0), vec![Statement::Rmw(0, 0, RmwKind::Add, 1)]),
            _ => Statement::StorePlain(self.value()),
        }
    }

    fn thread(&mut self, most: u64) -> Thread {
        let mut statements: Vec<Statement> = match self.below(3) {
            0 => self.waiting(),
            _ => (0..1 + self.below(most)).map(|_| self.statement(0, false)).collect(),
        };
        if self.below(3) == 0 {
            statements.push(Statement::AssertNot(self.register(), self.value()));
        }
        let returns = (0..REGISTERS).filter(|_| self.below(3) == 0).collect();
        Thread { statements, returns, orders: self.orders() }
    }

    /// A loop as people write them, and not much else.
    fn waiting(&mut self) -> Vec<Statement> {
        let mut statements: Vec<Statement> =
            (0..self.below(2)).map(|_| self.statement(MAX_DEPTH, false)).collect();
        statements.push(self.shape());
        statements.extend((0..self.below(3)).map(|_| self.statement(MAX_DEPTH, false)));
        statements
    }

    fn orders(&mut self) -> Orders {
        if self.below(2) == 0 { Orders::default() } else { self.any_orders() }
    }

    fn any_orders(&mut self) -> Orders {
        let read = |n| [ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst][n as usize];
        let write = [WriteOrder::Relaxed, WriteOrder::Release, WriteOrder::SeqCst];
        let rmw =
            [RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::Release, RmwOrder::AcqRel, RmwOrder::SeqCst];
        Orders {
            load: read(self.below(3)),
            store: write[self.below(3) as usize],
            rmw: rmw[self.below(5) as usize],
            failure: read(self.below(3)),
            weak: self.below(4) == 0,
        }
    }

    fn statement(&mut self, depth: u32, in_loop: bool) -> Statement {
        match self.below(if depth < MAX_DEPTH { 38 } else { 22 }) {
            0..4 => Statement::Load(self.register(), self.number()),
            4..7 => Statement::Store(self.number(), self.value()),
            7 => Statement::StoreRegister(self.number(), self.register()),
            8 => {
                let register = self.register();
                self.rmw(register)
            }
            9 => {
                let (success, expected, global) = (self.register(), self.register(), self.number());
                let (new, updates) = (self.new_value(), self.below(2) == 0);
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
            36.. => self.locked(false),
            _ => self.random_loop(depth + 1),
        }
    }

    /// Something that is done under the mutex.
    fn locked(&mut self, turned: bool) -> Statement {
        let mut inner: Vec<Statement> = (0..self.below(3)).map(|_| self.guarded()).collect();
        if self.below(8) == 0 {
            inner.push(Statement::Load(self.register(), self.number()));
        }
        Statement::Locked { inner, turned }
    }

    fn guarded(&mut self) -> Statement {
        match self.below(2) {
            0 => Statement::LoadGuarded(self.register()),
            _ => Statement::StoreGuarded(self.value()),
        }
    }

    /// Wait under a mutex for something that others do.
    fn awaits_under_mutex(&mut self, register: u16) -> Statement {
        let test = self.test(register);
        let look = Statement::LoadGuarded(register);
        match self.below(8) {
            // As condition variables are replaced: the mutex is taken all the time but for a moment.
            0 => {
                let waits = vec![Statement::Locked { inner: Vec::new(), turned: true }, look.clone()];
                Statement::Locked { inner: vec![look, Statement::While(test, waits)], turned: false }
            }
            1 => Statement::DoWhile(vec![self.locked(false), Statement::Load(register, 0)], test),
            2 => Statement::DoWhile(vec![look], test),
            3 => {
                let unless = vec![Statement::Locked { inner: vec![look], turned: false }];
                let other = self.register();
                Statement::DoWhile(
                    vec![Statement::Load(other, 1), Statement::If(self.test(other), unless)],
                    test,
                )
            }
            _ => Statement::DoWhile(vec![Statement::Locked { inner: vec![look], turned: false }], test),
        }
    }

    /// It may write what it reads.
    fn rmw(&mut self, register: u16) -> Statement {
        let kinds = [RmwKind::Exchange, RmwKind::Exchange, RmwKind::Add, RmwKind::Or, RmwKind::And];
        let kind = kinds[self.below(kinds.len() as u64) as usize];
        Statement::Rmw(register, self.number(), kind, self.value())
    }

    fn new_value(&mut self) -> New {
        match self.below(4) {
            0 => New::Next,
            _ => New::Number(self.value()),
        }
    }

    fn block(&mut self, depth: u32, in_loop: bool) -> Vec<Statement> {
        (0..1 + self.below(2)).map(|_| self.statement(depth, in_loop)).collect()
    }

    /// A loop that reads something and tests it, with anything else in it.
    fn random_loop(&mut self, depth: u32) -> Statement {
        let register = self.register();
        let mut body: Vec<Statement> = (0..self.below(3)).map(|_| self.statement(depth, true)).collect();
        let read = match self.below(8) {
            0 | 1 => Statement::TryLock(register, self.number()),
            2 | 3 => self.rmw(register),
            _ => Statement::Load(register, self.number()),
        };
        let at = self.below(body.len() as u64 + 1) as usize;
        body.insert(at, read);
        let test = self.test(register);
        if self.below(2) == 0 { Statement::While(test, body) } else { Statement::DoWhile(body, test) }
    }

    /// A compare-exchange loop that goes on with what the last attempt has found, with something more in it.
    fn carrying(&mut self, old: u16, success: u16, x: u32) -> Statement {
        let (new, other) = (self.new_value(), self.register());
        let mut body =
            vec![Statement::CompareExchange { success, expected: old, global: x, new, updates: true }];
        let more = match self.below(10) {
            0 => Some(Statement::Copy(other, old)),
            7 => Some(Statement::Set(old, self.value())),
            1 => Some(Statement::Increment(other)),
            2 => Some(Statement::Store(self.number(), self.value())),
            3 => Some(Statement::AssertNot(old, self.value())),
            4 => Some(Statement::If(self.test(old), vec![Statement::Break])),
            5 => Some(Statement::IncrementOwn),
            6 => Some(Statement::Load(other, self.number())),
            _ => None,
        };
        let at = self.below(2) as usize;
        more.into_iter().for_each(|more| body.insert(at, more));
        let failed = Test { register: success, op: CmpOp::Eq, value: 0 };
        let mut statements = vec![Statement::Load(old, x)];
        if self.below(2) == 0 {
            statements.push(Statement::DoWhile(body, failed));
        } else {
            let succeeded = Test { op: CmpOp::Ne, ..failed };
            body.push(Statement::If(succeeded, vec![Statement::Break]));
            statements.push(Statement::Forever(body));
        }
        Statement::Block(statements)
    }

    /// A loop as people write them.
    fn shape(&mut self) -> Statement {
        let (a, b, x) = (self.register(), self.register(), self.number());
        let failed = Test { register: b, op: CmpOp::Eq, value: 0 };
        let update =
            |updates, new| Statement::CompareExchange { success: b, expected: a, global: x, new, updates };
        match self.below(13) {
            // CAS-LOOP and CAS-LOOP2.
            0 => Statement::DoWhile(vec![Statement::Load(a, x), update(false, self.new_value())], failed),
            1 => Statement::While(failed, vec![Statement::Load(a, x), update(true, self.new_value())]),
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
            // Test-and-set.
            4 => Statement::DoWhile(
                vec![Statement::Rmw(b, x, RmwKind::Exchange, 1)],
                Test { register: b, op: CmpOp::Ne, value: 0 },
            ),
            // A read-modify-write instead of a load.
            5 => {
                let kind = if self.below(2) == 0 { RmwKind::Or } else { RmwKind::Add };
                Statement::DoWhile(vec![Statement::Rmw(b, x, kind, 0)], self.test(b))
            }
            // And a compare-exchange instead of one.
            6 => {
                let value = self.value();
                let body = vec![Statement::Set(a, value), update(true, New::Number(value))];
                Statement::DoWhile(body, self.test(a))
            }
            7 | 8 => self.carrying(a, b, x),
            9..12 => self.awaits_under_mutex(b),
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
