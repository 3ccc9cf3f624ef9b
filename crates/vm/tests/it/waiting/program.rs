//! Small random programs that wait, and their bytecode.

use crate::builder::{Build, global, module};
use crate::dice::Dice;
use base::{ReadOrder, WriteOrder};
use vm::bytecode::{CmpOp, Function, Module, Op, Operand, Reg};
use vm::{Builtin, SyncCall, SystemCall};

/// How many numbers are shared.
pub(crate) const NUMBERS: u32 = 2;
/// After them come the globals of these kinds.
const MUTEX: u32 = NUMBERS;
const CONDITION: u32 = MUTEX + 1;
const SEMAPHORE: u32 = CONDITION + 2;
const SHARED: u32 = SEMAPHORE + 1;
const BARRIER: u32 = SHARED + 1;
const ONCE: u32 = BARRIER + 1;

/// What a thread does. Waits are with the only mutex, which the thread owns then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    /// The register that the thread returns becomes ten times what it was, plus this number.
    Load(u32),
    Store(u32, u64),
    Lock,
    Unlock,
    Wait(u32),
    /// Wait as long as the number has this value.
    WaitWhile(u32, u32, u64),
    /// The same with a critical section for each look and each wait.
    Poll(u32, u32, u64),
    /// Wait with a time limit; whether it was over goes to the register as a number does.
    TimedWait(u32),
    Signal(u32),
    Broadcast(u32),
    SemWait,
    /// Whether it failed goes to the register.
    SemTryWait,
    SemPost,
    ReadLock,
    WriteLock,
    /// Whether it failed goes to the register, and the lock is given back at once otherwise.
    TryReadLock,
    TryWriteLock,
    UnlockShared,
    Barrier,
    /// The same, and the thread makes sure that the result is one of the two that there are: number 0 gets 9 if not.
    BarrierChecked,
    /// The same, and whether it is the serial thread goes to the register.
    BarrierSeen,
    /// The same, and the serial thread writes 3 to number 0.
    BarrierActs,
    /// The function adds 1 to number 0.
    Once,
    /// A futex wait on a number that should have this value, for these bits, with a time limit or without; whether it failed
    /// goes to the register.
    FutexWait(u32, u64, u32, bool),
    /// The same as long as the number has this value.
    FutexWaitWhile(u32, u64),
    /// A futex wake of so many threads that wait on a number, for these bits; how many it were goes to the register.
    FutexWake(u32, u64, u32),
    /// So many threads that wait on a number are woken up, and so many more wait on the other one from then on; together they
    /// go to the register.
    FutexRequeue(u32, u64, u64),
}

/// Bits that fit all others.
pub(crate) const ANY: u32 = u32::MAX;

impl Statement {
    /// Whether the thread waits at the barrier.
    pub(crate) fn is_barrier(&self) -> bool {
        matches!(
            self,
            Statement::Barrier | Statement::BarrierChecked | Statement::BarrierSeen | Statement::BarrierActs
        )
    }
}

/// A program: its threads, and the first value of the semaphore.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Program {
    pub(crate) threads: Vec<Vec<Statement>>,
    pub(crate) semaphore: u64,
    /// How many threads the barrier waits for.
    pub(crate) barrier: u64,
}

impl Dice {
    /// Threads that use one kind of thing each: a condition variable, or anything else.
    pub(crate) fn waiting_program(&mut self) -> Program {
        let threads = 2 + self.below(5).div_ceil(2);
        let kind = self.below(5);
        let most = [5, 3, 1][threads as usize - 2];
        let threads: Vec<_> = (0..threads).map(|_| self.waiting_thread(kind, most)).collect();
        let waits = |thread: &&Vec<Statement>| thread.iter().any(Statement::is_barrier);
        let barrier = threads.iter().filter(waits).count() as u64;
        Program { semaphore: self.below(3), barrier: barrier.max(1), threads }
    }

    /// Threads that meet at barriers, and use numbers before, after and in between.
    pub(crate) fn barrier_program(&mut self) -> Program {
        let threads: Vec<_> = (0..2 + self.below(2)).map(|_| self.waiting_thread(4, 3)).collect();
        let waits = |thread: &&Vec<Statement>| thread.iter().any(Statement::is_barrier);
        let barrier = threads.iter().filter(waits).count() as u64;
        Program { semaphore: 0, barrier: barrier.max(1), threads }
    }

    /// Threads that use the numbers as futexes; either some are requeued, or some have a time limit or wait for bits.
    pub(crate) fn futex_program(&mut self) -> Program {
        let (threads, requeues) = (2 + self.below(2), self.below(2) == 0);
        let most = 6 - threads;
        let threads = (0..threads)
            .map(|_| (0..1 + self.below(most)).map(|_| self.with_futex(requeues)).collect())
            .collect();
        Program { semaphore: 0, barrier: 1, threads }
    }

    fn with_futex(&mut self, requeues: bool) -> Statement {
        let (number, value) = (self.below(3) as u32 / 2, self.below(3) / 2);
        let bits = if requeues || self.below(2) == 0 { ANY } else { 1 + self.below(3) as u32 };
        match self.below(8) {
            0..3 => Statement::FutexWait(number, value, bits, !requeues && self.below(3) == 0),
            3 => Statement::FutexWaitWhile(number, value),
            4 if requeues => Statement::FutexRequeue(number, self.below(2), 1 + self.below(2)),
            4 | 5 => Statement::FutexWake(number, 1 + self.below(2), bits),
            _ => self.access(),
        }
    }

    fn waiting_thread(&mut self, kind: u64, most: u64) -> Vec<Statement> {
        let mut code = Vec::new();
        for _ in 0..1 + self.below(most) {
            match kind {
                0 | 1 => self.critical_section(&mut code),
                2 => self.with_semaphore(&mut code),
                3 => self.with_shared_lock(&mut code),
                _ => self.together(&mut code),
            }
        }
        code
    }

    fn access(&mut self) -> Statement {
        let number = self.below(u64::from(NUMBERS)) as u32;
        if self.below(2) == 0 { Statement::Load(number) } else { Statement::Store(number, 1 + self.below(2)) }
    }

    /// Everything is done with the mutex, but for notifications.
    fn critical_section(&mut self, code: &mut Vec<Statement>) {
        let condition = self.below(2) as u32;
        let notify =
            if self.below(2) == 0 { Statement::Signal(condition) } else { Statement::Broadcast(condition) };
        if self.below(8) == 0 {
            return code.push(notify);
        }
        if self.below(6) == 0 {
            return code.push(Statement::Poll(condition, self.below(2) as u32, self.below(2)));
        }
        code.push(Statement::Lock);
        for _ in 0..1 + self.below(2) {
            code.push(match self.below(8) {
                0 => Statement::Wait(condition),
                1 | 2 => Statement::WaitWhile(condition, self.below(2) as u32, self.below(2)),
                3 if self.below(2) == 0 => Statement::TimedWait(condition),
                3 | 4 => notify,
                _ => self.access(),
            });
        }
        code.push(Statement::Unlock);
    }

    fn with_semaphore(&mut self, code: &mut Vec<Statement>) {
        code.push(match self.below(6) {
            0 | 1 => Statement::SemWait,
            2 => Statement::SemTryWait,
            3 => self.access(),
            _ => Statement::SemPost,
        });
    }

    fn with_shared_lock(&mut self, code: &mut Vec<Statement>) {
        match self.below(6) {
            0 => return code.push(Statement::TryReadLock),
            1 => return code.push(Statement::TryWriteLock),
            2 | 3 => code.push(Statement::ReadLock),
            _ => code.push(Statement::WriteLock),
        }
        code.push(self.access());
        code.push(Statement::UnlockShared);
    }

    fn together(&mut self, code: &mut Vec<Statement>) {
        code.push(match self.below(7) {
            0 => Statement::Barrier,
            1 => Statement::BarrierChecked,
            2 => Statement::BarrierSeen,
            3 => Statement::BarrierActs,
            4 => Statement::Once,
            _ => self.access(),
        });
    }
}

/// The program as bytecode. Each statement of each thread has a site of its own.
pub(crate) fn lower(program: &Program) -> Module {
    let count = program.threads.len() as u32;
    let mut functions = vec![main(program, count)];
    functions.extend(program.threads.iter().map(|code| thread(code, count + 1)));
    functions.push(once());
    let sizes = [
        ("mutex", 40),
        ("c", 48),
        ("d", 48),
        ("semaphore", 32),
        ("shared", 56),
        ("barrier", 32),
        ("once", 4),
    ];
    let numbers = (0..NUMBERS).map(|i| global(&format!("x{i}"), &[0; 4]));
    let globals = numbers.chain(sizes.map(|(name, size)| global(name, &vec![0; size]))).collect();
    module(functions, globals)
}

fn main(program: &Program, count: u32) -> Function {
    let mut b = Build::new("main", 0);
    let (zero, value, needed) = (b.number(0), b.number(program.semaphore), b.number(program.barrier));
    let (semaphore, barrier) = (b.global(SEMAPHORE), b.global(BARRIER));
    b.builtin(Builtin::Sync(SyncCall::SemInit), &[semaphore, zero, value]);
    b.builtin(Builtin::Sync(SyncCall::BarrierInit), &[barrier, zero, needed]);
    let handles: Vec<Operand> = (1..=count).map(|thread| b.create(thread, zero)).collect();
    for handle in handles {
        b.builtin(Builtin::PthreadJoin, &[handle, zero]);
    }
    b.ret_number(0)
}

/// Adds 1 to number 0.
fn once() -> Function {
    let mut b = Build::new("once", 0);
    let (address, dst) = (b.global(0), b.register());
    b.op(Op::Load { size: 4, order: ReadOrder::Relaxed, partial: false, dst, address });
    let more = b.plus(Operand::Reg(dst), 1);
    b.op(Op::Store { size: 4, order: WriteOrder::Relaxed, address, value: more });
    b.ret_number(0)
}

fn thread(code: &[Statement], once: u32) -> Function {
    let mut b = Build::new("thread", 0);
    let returned = b.register();
    for &statement in code {
        lower_statement(&mut b, statement, returned, once);
    }
    b.ret(Operand::Reg(returned))
}

fn lower_statement(b: &mut Build, statement: Statement, returned: Reg, once: u32) {
    let call = |b: &mut Build, call, global| {
        let object = b.global(global);
        b.builtin(Builtin::Sync(call), &[object])
    };
    match statement {
        Statement::Load(number) => {
            let (address, dst) = (b.global(number), b.register());
            b.op(Op::Load { size: 4, order: ReadOrder::Relaxed, partial: false, dst, address });
            keep(b, returned, Operand::Reg(dst));
        }
        Statement::Store(number, value) => {
            store(b, number, value);
        }
        Statement::Lock | Statement::Unlock => {
            let mutex = b.global(MUTEX);
            let builtin =
                if statement == Statement::Lock { Builtin::MutexLock } else { Builtin::MutexUnlock };
            b.builtin(builtin, &[mutex]);
        }
        Statement::Wait(condition) => {
            wait(b, SyncCall::CondWait, condition);
        }
        Statement::TimedWait(condition) => {
            let over = wait(b, SyncCall::CondTimedWait, condition);
            keep_failure(b, returned, over);
        }
        Statement::WaitWhile(condition, number, value) => wait_while(b, condition, number, value),
        Statement::Poll(condition, number, value) => poll(b, condition, number, value),
        Statement::Signal(condition) => drop(call(b, SyncCall::CondSignal, CONDITION + condition)),
        Statement::Broadcast(condition) => drop(call(b, SyncCall::CondBroadcast, CONDITION + condition)),
        Statement::SemWait => drop(call(b, SyncCall::SemWait, SEMAPHORE)),
        Statement::SemPost => drop(call(b, SyncCall::SemPost, SEMAPHORE)),
        Statement::SemTryWait => {
            let failed = call(b, SyncCall::SemTryWait, SEMAPHORE);
            keep_failure(b, returned, failed);
        }
        Statement::ReadLock => drop(call(b, SyncCall::RwReadLock, SHARED)),
        Statement::WriteLock => drop(call(b, SyncCall::RwWriteLock, SHARED)),
        Statement::UnlockShared => drop(call(b, SyncCall::RwUnlock, SHARED)),
        Statement::TryReadLock => try_shared(b, SyncCall::RwTryReadLock, returned),
        Statement::TryWriteLock => try_shared(b, SyncCall::RwTryWriteLock, returned),
        Statement::Barrier => {
            // Who is the one is a choice that the program does not make: nobody looks.
            let barrier = b.global(BARRIER);
            b.builtin_without_result(Builtin::Sync(SyncCall::BarrierWait), &[barrier]);
        }
        Statement::BarrierChecked => {
            let result = call(b, SyncCall::BarrierWait, BARRIER);
            let (zero, serial) = (b.number(0), b.number(0xffff_ffff));
            let (no_zero, wrong) = (b.cmp(CmpOp::Ne, 32, result, zero), b.cmp(CmpOp::Ne, 32, result, serial));
            let first = b.here();
            b.op(Op::Jump(0));
            b.op(Op::Jump(0));
            store(b, 0, 9);
            let end = b.here();
            b.patch(first, Op::Branch { condition: no_zero, then: first + 1, otherwise: end });
            b.patch(first + 1, Op::Branch { condition: wrong, then: first + 2, otherwise: end });
        }
        Statement::BarrierSeen => {
            // By way of a local variable, so that it is in no register for a while.
            let (variable, result) = (b.alloca(4), call(b, SyncCall::BarrierWait, BARRIER));
            b.store(4, variable, result);
            let result = b.load(4, variable);
            keep_failure(b, returned, result);
        }
        Statement::BarrierActs => {
            let result = call(b, SyncCall::BarrierWait, BARRIER);
            let branch = b.here();
            b.op(Op::Jump(0));
            store(b, 0, 3);
            let end = b.here();
            b.patch(branch, Op::Branch { condition: result, then: branch + 1, otherwise: end });
        }
        Statement::FutexWait(number, value, bits, limited) => {
            let failed = futex_wait(b, number, value, bits, limited);
            keep_failure(b, returned, failed);
        }
        Statement::FutexWaitWhile(number, value) => futex_wait_while(b, number, value),
        Statement::FutexWake(number, most, bits) => {
            let (word, zero) = (b.global(number), b.number(0));
            let (most, bits) = (b.number(most), b.number(u64::from(bits)));
            let woken = futex(b, FUTEX_WAKE_BITSET, [word, most, zero, zero, bits]);
            keep(b, returned, woken);
        }
        Statement::FutexRequeue(number, wakes, moves) => {
            let (word, other) = (b.global(number), b.global(1 - number));
            let (wakes, moves, zero) = (b.number(wakes), b.number(moves), b.number(0));
            let count = futex(b, FUTEX_REQUEUE, [word, wakes, moves, other, zero]);
            keep(b, returned, count);
        }
        Statement::Once => {
            let (control, function) = (b.global(ONCE), b.function(once));
            b.builtin(Builtin::Sync(SyncCall::Once), &[control, function]);
        }
    }
}

fn store(b: &mut Build, number: u32, value: u64) {
    let (address, value) = (b.global(number), b.number(value));
    b.op(Op::Store { size: 4, order: WriteOrder::Relaxed, address, value });
}

fn wait(b: &mut Build, call: SyncCall, condition: u32) -> Operand {
    let (condition, mutex) = (b.global(CONDITION + condition), b.global(MUTEX));
    b.builtin(Builtin::Sync(call), &[condition, mutex])
}

fn wait_while(b: &mut Build, condition: u32, number: u32, value: u64) {
    let header = b.here();
    let (address, dst, value) = (b.global(number), b.register(), b.number(value));
    b.op(Op::Load { size: 4, order: ReadOrder::Relaxed, partial: false, dst, address });
    let same = b.cmp(CmpOp::Eq, 32, Operand::Reg(dst), value);
    let branch = b.here();
    b.op(Op::Jump(0));
    wait(b, SyncCall::CondWait, condition);
    b.op(Op::Jump(header));
    let end = b.here();
    b.patch(branch, Op::Branch { condition: same, then: branch + 1, otherwise: end });
}

const FUTEX_REQUEUE: u64 = 3;
const FUTEX_WAIT_BITSET: u64 = 9;
const FUTEX_WAKE_BITSET: u64 = 10;

fn futex(b: &mut Build, operation: u64, [word, value, limit, other, bits]: [Operand; 5]) -> Operand {
    let (number, operation) = (b.number(202), b.number(operation));
    let call = Builtin::System(SystemCall::Syscall);
    b.builtin(call, &[number, word, operation, value, limit, other, bits])
}

fn futex_wait(b: &mut Build, number: u32, value: u64, bits: u32, limited: bool) -> Operand {
    // Where the time limit is does not matter.
    let (word, limit) = (b.global(number), if limited { b.global(0) } else { b.number(0) });
    let (value, zero, bits) = (b.number(value), b.number(0), b.number(u64::from(bits)));
    futex(b, FUTEX_WAIT_BITSET, [word, value, limit, zero, bits])
}

fn futex_wait_while(b: &mut Build, number: u32, value: u64) {
    let header = b.here();
    let (address, dst, expected) = (b.global(number), b.register(), b.number(value));
    b.op(Op::Load { size: 4, order: ReadOrder::Relaxed, partial: false, dst, address });
    let same = b.cmp(CmpOp::Eq, 32, Operand::Reg(dst), expected);
    let branch = b.here();
    b.op(Op::Jump(0));
    futex_wait(b, number, value, ANY, false);
    b.op(Op::Jump(header));
    let end = b.here();
    b.patch(branch, Op::Branch { condition: same, then: branch + 1, otherwise: end });
}

fn poll(b: &mut Build, condition: u32, number: u32, value: u64) {
    let (mutex, header) = (b.global(MUTEX), b.here());
    b.builtin(Builtin::MutexLock, &[mutex]);
    let (address, dst, value) = (b.global(number), b.register(), b.number(value));
    b.op(Op::Load { size: 4, order: ReadOrder::Relaxed, partial: false, dst, address });
    let same = b.cmp(CmpOp::Eq, 32, Operand::Reg(dst), value);
    let branch = b.here();
    b.op(Op::Jump(0));
    wait(b, SyncCall::CondWait, condition);
    b.builtin(Builtin::MutexUnlock, &[mutex]);
    b.op(Op::Jump(header));
    let end = b.here();
    b.patch(branch, Op::Branch { condition: same, then: branch + 1, otherwise: end });
    b.builtin(Builtin::MutexUnlock, &[mutex]);
}

fn try_shared(b: &mut Build, call: SyncCall, returned: Reg) {
    let lock = b.global(SHARED);
    let failed = b.builtin(Builtin::Sync(call), &[lock]);
    let branch = b.here();
    b.op(Op::Jump(0));
    b.builtin(Builtin::Sync(SyncCall::RwUnlock), &[lock]);
    let end = b.here();
    b.patch(branch, Op::Branch { condition: failed, then: end, otherwise: branch + 1 });
    keep_failure(b, returned, failed);
}

/// `returned = returned * 10 + value`.
fn keep(b: &mut Build, returned: Reg, value: Operand) {
    let ten = b.number(10);
    let more = b.bin(vm::bytecode::BinOp::Mul, 64, Operand::Reg(returned), ten);
    b.op(Op::Bin { op: vm::bytecode::BinOp::Add, width: 64, dst: returned, a: more, b: value });
}

fn keep_failure(b: &mut Build, returned: Reg, code: Operand) {
    let zero = b.number(0);
    let failed = b.cmp(CmpOp::Ne, 32, code, zero);
    keep(b, returned, failed);
}
