//! Small random programs that allocate, free and compare, and their bytecode.

use crate::builder::{Build, global, module};
use crate::dice::Dice;
use base::{ReadOrder, RmwOrder, WriteOrder};
use vm::Builtin;
use vm::bytecode::{BinOp, CmpOp, Function, Module, Op, Operand, Reg, RmwKind};

/// How many words are shared.
pub(crate) const WORDS: u64 = 2;
/// How many pointers a thread has.
pub(crate) const POINTERS: u64 = 3;
/// The size of all blocks.
const SIZE: u64 = 16;

/// A pointer of a thread.
pub(crate) type Pointer = u64;
/// A shared word.
pub(crate) type Word = u64;

/// What a thread does. What it *keeps* becomes the last digit of the number that it returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    /// Allocate a block, and write this to it unless it failed.
    Malloc(Pointer, u64),
    Free(Pointer),
    Load(Pointer, Word),
    Store(Word, Pointer),
    /// Exchange the word for null.
    Take(Pointer, Word),
    /// From the first pointer to the second; keep whether it succeeded.
    CompareExchange(Word, Pointer, Pointer),
    /// Keep whether they are equal.
    Compare(Pointer, Pointer),
    /// Keep what the block holds; nothing if the pointer is null.
    Read(Pointer),
}

/// A program: its threads, and whether `main` puts a block into each word first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Program {
    pub(crate) threads: Vec<Vec<Statement>>,
    pub(crate) filled: bool,
    /// May allocations fail?
    pub(crate) fail: bool,
}

impl Dice {
    /// Two or three threads.
    pub(crate) fn allocating_program(&mut self) -> Program {
        let count = 2 + self.below(4) / 3;
        let most = if count == 2 { 3 } else { 2 };
        let threads = (0..count).map(|_| self.allocating_thread(most)).collect();
        Program { threads, filled: self.below(4) > 0, fail: self.below(6) == 0 }
    }

    fn allocating_thread(&mut self, most: u64) -> Vec<Statement> {
        let mut code = Vec::new();
        for _ in 0..1 + self.below(most) {
            self.allocating_statement(&mut code);
        }
        code
    }

    /// One or a few statements: mostly what addresses that come back are dangerous for.
    fn allocating_statement(&mut self, code: &mut Vec<Statement>) {
        let (p, q, word) = (self.below(POINTERS), self.below(POINTERS), self.below(WORDS));
        match self.below(14) {
            0 => code.push(Statement::Malloc(p, 1 + self.below(3))),
            1 => code.extend([Statement::Take(p, word), Statement::Free(p)]),
            2..5 => {
                code.extend([Statement::Take(p, word), Statement::Free(p)]);
                code.extend([Statement::Malloc(q, 1 + self.below(3)), Statement::Store(word, q)]);
            }
            5..8 => {
                code.push(Statement::Load(p, word));
                if self.below(2) == 0 {
                    self.allocating_statement(code);
                }
                code.push(Statement::CompareExchange(word, p, q));
            }
            8 => code.push(Statement::Load(p, word)),
            9 => code.push(Statement::Store(word, p)),
            10 => code.push(Statement::CompareExchange(word, p, q)),
            11 | 12 => code.push(Statement::Compare(p, q)),
            _ if self.below(2) == 0 => code.push(Statement::Read(p)),
            _ => code.push(Statement::Free(p)),
        }
    }
}

/// The program as bytecode.
pub(crate) fn lower(program: &Program) -> Module {
    let mut functions = vec![main(program)];
    functions.extend(program.threads.iter().map(|code| thread(code)));
    module(functions, (0..WORDS).map(|i| global(&format!("x{i}"), &[0; 8])).collect())
}

fn main(program: &Program) -> Function {
    let mut b = Build::new("main", 0);
    for word in (0..WORDS).filter(|_| program.filled) {
        let (block, address) = (b.register(), b.global(word as u32));
        malloc(&mut b, block, 4 + word);
        b.store(8, address, Operand::Reg(block));
    }
    let zero = b.number(0);
    let handles: Vec<Operand> =
        (1..=program.threads.len()).map(|thread| b.create(thread as u32, zero)).collect();
    for handle in handles {
        b.builtin(Builtin::PthreadJoin, &[handle, zero]);
    }
    b.ret_number(0)
}

fn thread(code: &[Statement]) -> Function {
    let mut b = Build::new("thread", 0);
    let pointers: Vec<Reg> = (0..POINTERS).map(|_| b.register()).collect();
    let kept = b.register();
    for &statement in code {
        lower_statement(&mut b, statement, &pointers, kept);
    }
    b.ret(Operand::Reg(kept))
}

fn lower_statement(b: &mut Build, statement: Statement, pointers: &[Reg], kept: Reg) {
    let reg = |p: Pointer| pointers[p as usize];
    let of = |p: Pointer| Operand::Reg(reg(p));
    let word = |b: &mut Build, word: Word| b.global(word as u32);
    match statement {
        Statement::Malloc(p, value) => malloc(b, reg(p), value),
        Statement::Free(p) => drop(b.builtin(Builtin::Free, &[of(p)])),
        Statement::Load(p, x) => {
            let address = word(b, x);
            b.op(Op::Load { size: 8, order: ReadOrder::Acquire, partial: false, dst: reg(p), address });
        }
        Statement::Store(x, p) => {
            let address = word(b, x);
            b.op(Op::Store { size: 8, order: WriteOrder::Release, address, value: of(p) });
        }
        Statement::Take(p, x) => {
            let (address, value, kind) = (word(b, x), b.number(0), RmwKind::Exchange);
            b.op(Op::Rmw { kind, size: 8, order: RmwOrder::AcqRel, dst: reg(p), address, value });
        }
        Statement::CompareExchange(x, p, q) => {
            let (address, dst, success) = (word(b, x), b.register(), b.register());
            let (order, failure) = (RmwOrder::AcqRel, ReadOrder::Acquire);
            let (expected, new, size, weak) = (of(p), of(q), 8, false);
            b.op(Op::CompareExchange { size, order, failure, weak, dst, success, address, expected, new });
            keep(b, kept, Operand::Reg(success));
        }
        Statement::Compare(p, q) => {
            let same = b.cmp(CmpOp::Eq, 64, of(p), of(q));
            keep(b, kept, same);
        }
        Statement::Read(p) => unless_null(b, reg(p), |b| {
            let (order, dst) = (ReadOrder::Acquire, b.register());
            b.op(Op::Load { size: 8, order, partial: false, dst, address: of(p) });
            keep(b, kept, Operand::Reg(dst));
        }),
    }
}

fn malloc(b: &mut Build, dst: Reg, value: u64) {
    let a = b.malloc(SIZE);
    b.op(Op::Move { dst, a });
    unless_null(b, dst, |b| b.store_number(8, Operand::Reg(dst), value));
}

fn unless_null(b: &mut Build, pointer: Reg, body: impl FnOnce(&mut Build)) {
    let branch = b.here();
    b.op(Op::Jump(0));
    body(b);
    let otherwise = b.here();
    b.patch(branch, Op::Branch { condition: Operand::Reg(pointer), then: branch + 1, otherwise });
}

fn keep(b: &mut Build, kept: Reg, value: Operand) {
    let ten = b.number(10);
    let more = b.bin(BinOp::Mul, 64, Operand::Reg(kept), ten);
    b.op(Op::Bin { op: BinOp::Add, width: 64, dst: kept, a: more, b: value });
}
