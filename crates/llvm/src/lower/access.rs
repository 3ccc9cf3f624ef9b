//! Memory accesses, atomic or not.
//!
//! A `volatile` access that is not atomic is plain, as in C, or relaxed if that is asked for: then it is one access of a
//! scalar (a copy of a struct stays plain). Not modelled: accesses that are atomic between some threads only, and those of
//! the order `unordered`, which C does not have and which is weaker than relaxed.

use super::body::Body;
use super::lanes::is_packed;
use crate::Volatile;
use crate::bit_field::is_load_of_write;
use crate::ffi::{Kind, Opcode, Ordering, RmwBinOp, Scope, Type, TypeKind, Value};
use crate::returned::{is_load_of_object, is_load_of_result, is_load_of_unused_result};
use crate::types::Scalar;
use base::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use vm::Builtin;
use vm::bytecode::{Constant, Op, Operand, RmwKind};

fn has_body(callee: Value<'_>) -> bool {
    callee.kind() == Kind::Function && !callee.is_declaration()
}

impl<'m> Body<'_, 'm> {
    /// The address that an instruction accesses.
    pub(super) fn address_of(&self, instruction: Value<'m>) -> Option<Value<'m>> {
        match instruction.opcode() {
            Opcode::LLVMLoad | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                Some(instruction.operand(0))
            }
            Opcode::LLVMStore => Some(instruction.operand(1)),
            // What a function with a body accesses is told by its address.
            Opcode::LLVMCall | Opcode::LLVMInvoke if !has_body(instruction.callee()) => {
                instruction.arguments().into_iter().next()
            }
            _ => None,
        }
        .filter(|address| address.ty().kind() == TypeKind::Pointer)
    }

    pub(super) fn load(&mut self, instruction: Value<'m>) -> Result<(), String> {
        check_atomicity(instruction)?;
        let parts = self.in_memory(instruction.ty())?;
        let order = match self.is_relaxed(instruction, &parts) {
            true => ReadOrder::Relaxed,
            false => read_order(instruction.ordering()),
        };
        check_atomic(order != ReadOrder::NotAtomic, &parts, instruction)?;
        let base = self.one(instruction.operand(0))?;
        if is_load_of_unused_result(instruction) {
            return Ok(());
        }
        let is_object = self.is_cxx && is_load_of_object(instruction);
        let partial = is_load_of_write(instruction) || is_object;
        let is_result = is_load_of_result(instruction) && !is_object;
        let mut values = Vec::new();
        for part in parts {
            let address = self.checked(base, part);
            if is_result {
                values.push(self.load_result(address, part));
                continue;
            }
            let loaded = self.asm.result(|dst| Op::Load { size: part.size, order, partial, dst, address });
            let is_odd = part.width < 8 * part.size;
            values.push(if is_odd { self.asm.truncate(part.width, loaded) } else { loaded });
        }
        self.define(instruction, values);
        Ok(())
    }

    /// The scalars of a type, for an access to memory.
    fn in_memory(&self, ty: Type<'m>) -> Result<Vec<Scalar>, String> {
        match is_packed(ty) {
            true => Err(format!("a value of type `{}` in memory is not modelled", ty.text())),
            false => self.scalars(ty),
        }
    }

    /// What the function returns, if it returns anything.
    fn load_result(&mut self, address: Operand, part: Scalar) -> Operand {
        let size = self.asm.number(u64::from(part.size));
        let result = self.asm.fresh();
        self.asm.builtin(Builtin::Returned, &[address, size], Some(result));
        Operand::Reg(result)
    }

    pub(super) fn store(&mut self, instruction: Value<'m>) -> Result<(), String> {
        check_atomicity(instruction)?;
        let value = instruction.operand(0);
        let parts = self.in_memory(value.ty())?;
        let order = match self.is_relaxed(instruction, &parts) {
            true => WriteOrder::Relaxed,
            false => write_order(instruction.ordering()),
        };
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
        let parts = self.scalars(instruction.ty())?;
        check_atomic(true, &parts, instruction)?;
        let part = parts[0];
        check_atomicity(instruction)?;
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
        let parts = self.scalars(instruction.operand(1).ty())?;
        check_atomic(true, &parts, instruction.operand(1))?;
        let part = parts[0];
        check_scope(instruction)?;
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

    pub(super) fn fence(&mut self, instruction: Value<'m>) -> Result<(), String> {
        // A signal fence orders nothing between threads.
        if instruction.scope() == Scope::Thread {
            return Ok(());
        }
        check_scope(instruction)?;
        let order = match instruction.ordering() {
            Ordering::LLVMAtomicOrderingAcquire => FenceOrder::Acquire,
            Ordering::LLVMAtomicOrderingRelease => FenceOrder::Release,
            Ordering::LLVMAtomicOrderingAcquireRelease => FenceOrder::AcqRel,
            _ => FenceOrder::SeqCst,
        };
        self.asm.emit(Op::Fence(order));
        Ok(())
    }

    /// Whether it is a `volatile` access that counts as a relaxed one.
    fn is_relaxed(&self, instruction: Value<'m>, parts: &[Scalar]) -> bool {
        self.volatile == Volatile::Relaxed
            && is_volatile(instruction)
            && matches!(parts, [Scalar { size: 1 | 2 | 4 | 8, .. }])
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

/// Whether it is an access that the source calls `volatile` and not atomic.
pub(super) fn is_volatile(instruction: Value<'_>) -> bool {
    (instruction.is(Opcode::LLVMLoad) || instruction.is(Opcode::LLVMStore))
        && instruction.ordering() == Ordering::LLVMAtomicOrderingNotAtomic
        && instruction.is_marked_volatile()
}

/// An atomic access is one for all threads, and of an order that C has.
fn check_atomicity(instruction: Value<'_>) -> Result<(), String> {
    match instruction.ordering() {
        Ordering::LLVMAtomicOrderingUnordered => {
            Err("an atomic access of the order `unordered` is not modelled".into())
        }
        _ => check_scope(instruction),
    }
}

fn check_scope(instruction: Value<'_>) -> Result<(), String> {
    match instruction.scope() {
        Scope::All => Ok(()),
        _ => Err("an atomic access or fence for some threads only (`syncscope`) is not modelled".into()),
    }
}

/// An atomic access is one access of 1, 2, 4 or 8 bytes.
fn check_atomic(is_atomic: bool, parts: &[Scalar], value: Value<'_>) -> Result<(), String> {
    match parts {
        _ if !is_atomic => Ok(()),
        [Scalar { size: 1 | 2 | 4 | 8, .. }] => Ok(()),
        _ => Err(format!(
            "an atomic access of type `{}` is not modelled: it has more than 8 bytes",
            value.ty().text()
        )),
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
        RmwBinOp::LLVMAtomicRMWBinOpXchg if !instruction.is_used() => RmwKind::Replace,
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
