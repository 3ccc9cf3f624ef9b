//! Memory accesses, atomic or not.
//!
//! `volatile` changes nothing: a plain access is plain. An access of `unordered`, which C does not have, counts as
//! relaxed.

use super::body::Body;
use crate::bit_field::is_load_of_write;
use crate::ffi::{Opcode, Ordering, RmwBinOp, TypeKind, Value};
use crate::types::Scalar;
use base::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use vm::bytecode::{Constant, Op, Operand, RmwKind};

impl<'m> Body<'_, 'm> {
    /// The address that an instruction accesses.
    pub(super) fn address_of(&self, instruction: Value<'m>) -> Option<Value<'m>> {
        match instruction.opcode() {
            Opcode::LLVMLoad | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                Some(instruction.operand(0))
            }
            Opcode::LLVMStore => Some(instruction.operand(1)),
            Opcode::LLVMCall => instruction.arguments().into_iter().next(),
            _ => None,
        }
        .filter(|address| address.ty().kind() == TypeKind::Pointer)
    }

    pub(super) fn load(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let order = read_order(instruction.ordering());
        let parts = self.scalars(instruction.ty())?;
        check_atomic(order != ReadOrder::NotAtomic, &parts, instruction)?;
        let base = self.one(instruction.operand(0))?;
        let partial = is_load_of_write(instruction);
        let mut values = Vec::new();
        for part in parts {
            let address = self.checked(base, part);
            let loaded = self.asm.result(|dst| Op::Load { size: part.size, order, partial, dst, address });
            let is_odd = part.width < 8 * part.size;
            values.push(if is_odd { self.asm.truncate(part.width, loaded) } else { loaded });
        }
        self.define(instruction, values);
        Ok(())
    }

    pub(super) fn store(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let order = write_order(instruction.ordering());
        let value = instruction.operand(0);
        let parts = self.scalars(value.ty())?;
        check_atomic(order != WriteOrder::NotAtomic, &parts, value)?;
        let values = self.all(value)?;
        let base = self.one(instruction.operand(1))?;
        for (part, value) in parts.into_iter().zip(values) {
            let address = self.checked(base, part);
            self.asm.emit(Op::Store { size: part.size, order, address, value });
        }
        Ok(())
    }

    pub(super) fn rmw(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let part = self.scalar(instruction.ty())?;
        check_atomic(true, &[part], instruction)?;
        let kind = rmw_kind(instruction)?;
        let order = rmw_order(instruction.ordering());
        let base = self.one(instruction.operand(0))?;
        let address = self.checked(base, part);
        let value = self.one(instruction.operand(1))?;
        let dst = self.result(instruction)?;
        self.asm.emit(Op::Rmw { kind, size: part.size, order, dst, address, value });
        Ok(())
    }

    pub(super) fn compare_exchange(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let part = self.scalar(instruction.operand(1).ty())?;
        check_atomic(true, &[part], instruction.operand(1))?;
        let (order, failure) = instruction.exchange_orderings();
        let base = self.one(instruction.operand(0))?;
        let address = self.checked(base, part);
        let (expected, new) = (self.one(instruction.operand(1))?, self.one(instruction.operand(2))?);
        let results = self.results(instruction)?;
        self.asm.emit(Op::CompareExchange {
            size: part.size,
            order: rmw_order(order),
            failure: read_order(failure),
            weak: instruction.is_weak(),
            dst: results[0],
            success: results[1],
            address,
            expected,
            new,
        });
        Ok(())
    }

    pub(super) fn fence(&mut self, instruction: Value<'m>) {
        let order = match instruction.ordering() {
            Ordering::LLVMAtomicOrderingAcquire => FenceOrder::Acquire,
            Ordering::LLVMAtomicOrderingRelease => FenceOrder::Release,
            Ordering::LLVMAtomicOrderingAcquireRelease => FenceOrder::AcqRel,
            _ => FenceOrder::SeqCst,
        };
        // A signal fence orders nothing between threads.
        if !instruction.is_single_thread() {
            self.asm.emit(Op::Fence(order));
        }
    }

    /// The address of a part. Where it is a constant outside of its global, the access may hit a neighbour that
    /// happens to be there: it is checked against the global that the program meant.
    fn checked(&mut self, base: Operand, part: Scalar) -> Operand {
        let address = self.asm.offset(base, part.offset.cast_signed());
        let Some(Constant::Global(id, offset)) = self.asm.constant_of(address) else { return address };
        let global = &self.globals[id.0 as usize];
        let last = (global.bytes.len() as i64).saturating_sub(i64::from(part.size));
        if global.external || (0..=last).contains(&offset) {
            return address;
        }
        let start = self.asm.constant(Constant::Global(id, 0));
        let register = self.asm.fresh();
        self.asm.emit(Op::Move { dst: register, a: address });
        self.asm.emit(Op::InBounds { address: register, base: start, size: last.max(0) as u32 });
        Operand::Reg(register)
    }
}

/// An atomic access is one access of 1, 2, 4 or 8 bytes.
fn check_atomic(is_atomic: bool, parts: &[Scalar], value: Value<'_>) -> Result<(), String> {
    match parts {
        _ if !is_atomic => Ok(()),
        [Scalar { size: 1 | 2 | 4 | 8, .. }] => Ok(()),
        _ => Err(format!("an atomic access of type `{}` is not modelled", value.ty().text())),
    }
}

fn read_order(ordering: Ordering) -> ReadOrder {
    match ordering {
        Ordering::LLVMAtomicOrderingNotAtomic => ReadOrder::NotAtomic,
        Ordering::LLVMAtomicOrderingUnordered
        | Ordering::LLVMAtomicOrderingMonotonic
        | Ordering::LLVMAtomicOrderingRelease => ReadOrder::Relaxed,
        Ordering::LLVMAtomicOrderingAcquire | Ordering::LLVMAtomicOrderingAcquireRelease => {
            ReadOrder::Acquire
        }
        Ordering::LLVMAtomicOrderingSequentiallyConsistent => ReadOrder::SeqCst,
    }
}

fn write_order(ordering: Ordering) -> WriteOrder {
    match ordering {
        Ordering::LLVMAtomicOrderingNotAtomic => WriteOrder::NotAtomic,
        Ordering::LLVMAtomicOrderingUnordered
        | Ordering::LLVMAtomicOrderingMonotonic
        | Ordering::LLVMAtomicOrderingAcquire => WriteOrder::Relaxed,
        Ordering::LLVMAtomicOrderingRelease | Ordering::LLVMAtomicOrderingAcquireRelease => {
            WriteOrder::Release
        }
        Ordering::LLVMAtomicOrderingSequentiallyConsistent => WriteOrder::SeqCst,
    }
}

fn rmw_order(ordering: Ordering) -> RmwOrder {
    match ordering {
        Ordering::LLVMAtomicOrderingNotAtomic
        | Ordering::LLVMAtomicOrderingUnordered
        | Ordering::LLVMAtomicOrderingMonotonic => RmwOrder::Relaxed,
        Ordering::LLVMAtomicOrderingAcquire => RmwOrder::Acquire,
        Ordering::LLVMAtomicOrderingRelease => RmwOrder::Release,
        Ordering::LLVMAtomicOrderingAcquireRelease => RmwOrder::AcqRel,
        Ordering::LLVMAtomicOrderingSequentiallyConsistent => RmwOrder::SeqCst,
    }
}

fn rmw_kind(instruction: Value<'_>) -> Result<RmwKind, String> {
    Ok(match instruction.rmw_operation() {
        RmwBinOp::LLVMAtomicRMWBinOpXchg => RmwKind::Exchange,
        RmwBinOp::LLVMAtomicRMWBinOpAdd => RmwKind::Add,
        RmwBinOp::LLVMAtomicRMWBinOpSub => RmwKind::Sub,
        RmwBinOp::LLVMAtomicRMWBinOpAnd => RmwKind::And,
        RmwBinOp::LLVMAtomicRMWBinOpOr => RmwKind::Or,
        RmwBinOp::LLVMAtomicRMWBinOpXor => RmwKind::Xor,
        RmwBinOp::LLVMAtomicRMWBinOpNand => RmwKind::Nand,
        RmwBinOp::LLVMAtomicRMWBinOpMax => RmwKind::Max,
        RmwBinOp::LLVMAtomicRMWBinOpMin => RmwKind::Min,
        RmwBinOp::LLVMAtomicRMWBinOpUMax => RmwKind::UMax,
        RmwBinOp::LLVMAtomicRMWBinOpUMin => RmwKind::UMin,
        _ => return Err(format!("the read-modify-write `{}` is not modelled", instruction.text().trim())),
    })
}
