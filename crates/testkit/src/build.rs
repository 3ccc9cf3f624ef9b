//! Short names for instructions, to write programs down in tests.

use crate::program::{Condition, Expr, Instr, Modify};
use base::{FenceOrder, ReadOrder, RmwOrder, Value, WriteOrder};

/// Load into register 0.
pub fn r(loc: u8, order: ReadOrder) -> Instr {
    Instr::Load { dst: 0, loc, order }
}

/// Store 1.
pub fn w(loc: u8, order: WriteOrder) -> Instr {
    write(loc, 1, order)
}

/// Store a constant.
pub fn write(loc: u8, value: Value, order: WriteOrder) -> Instr {
    Instr::Store { loc, value: Expr::Const(value), order }
}

/// Add 1; register 0 gets the old value.
pub fn fadd(loc: u8, order: RmwOrder) -> Instr {
    Instr::Rmw { dst: 0, loc, op: Modify::Add(Expr::Const(1)), order, failure: ReadOrder::Relaxed }
}

/// Store a constant; register 0 gets the old value.
pub fn exchange(loc: u8, value: Value, order: RmwOrder) -> Instr {
    Instr::Rmw { dst: 0, loc, op: Modify::Exchange(Expr::Const(value)), order, failure: ReadOrder::Relaxed }
}

/// Store `new` if `expected` is read; register 0 gets the old value.
pub fn cas(loc: u8, expected: Value, new: Value, order: RmwOrder) -> Instr {
    let op = Modify::Cas(Expr::Const(expected), Expr::Const(new));
    Instr::Rmw { dst: 0, loc, op, order, failure: ReadOrder::Relaxed }
}

/// An SC fence.
pub fn sc_fence() -> Instr {
    Instr::Fence(FenceOrder::SeqCst)
}

/// Go on only if register 0 has this value.
pub fn assume_eq(value: Value) -> Instr {
    Instr::Assume(Condition { reg: 0, equal: true, value })
}

/// Go on only if register 0 has another value.
pub fn assume_ne(value: Value) -> Instr {
    Instr::Assume(Condition { reg: 0, equal: false, value })
}
