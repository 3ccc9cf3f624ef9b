//! Loads, stores and read-modify-writes to bytecode: `*x`, assignments and the functions of `<stdatomic.h>`.

use super::body::Body;
use super::expression::{Lowered, Typed, mismatch};
use crate::atomics::{Atomic, Form, Strength, fence_order, order, read_order, rmw_order, write_order};
use crate::error::Problem;
use crate::lexer::Located;
use crate::source::At;
use crate::syntax::{Binary, Expression, ExpressionKind};
use crate::types::{INT, Kind, Type};
use base::{Order, ReadOrder, WriteOrder};
use vm::Builtin;
use vm::bytecode::{Op, Operand, Reg, RmwKind};

/// An object in memory.
#[derive(Clone, Debug)]
struct Object {
    address: Operand,
    declared: Type,
    /// What the test calls it, for reports.
    name: String,
}

/// Something that can be assigned to.
#[derive(Clone, Debug)]
enum Target {
    Register(Reg, Type),
    Memory(Object),
}

/// The orders of a compare-exchange.
#[derive(Clone, Copy, Debug)]
struct Orders {
    success: Order,
    failure: ReadOrder,
}

impl Body<'_> {
    /// The object that a pointer points to.
    fn object(&mut self, pointer: &Expression) -> Result<Object, Located> {
        let value = self.scalar(pointer)?;
        let Some(declared) = value.declared.pointee().filter(|to| to.size() > 0).cloned() else {
            return Err((Problem::NotAPointer(value.declared.to_string()), pointer.at));
        };
        let name = match &pointer.kind {
            ExpressionKind::Name(name) => name.clone(),
            _ => String::new(),
        };
        Ok(Object { address: value.operand, declared, name })
    }

    fn load(&mut self, object: &Object, order: ReadOrder, at: At) -> Lowered {
        let (size, address) = (object.declared.size(), object.address);
        self.asm.site(at, &object.name);
        let operand = self.asm.result(|dst| Op::Load { size, order, partial: false, dst, address })?;
        Ok(Typed { operand, declared: object.declared.value() })
    }

    fn store(&mut self, object: &Object, value: Operand, order: WriteOrder, at: At) {
        self.asm.site(at, &object.name);
        let (size, address) = (object.declared.size(), object.address);
        self.asm.emit(Op::Store { size, order, address, value });
    }

    /// `*x`, to be read.
    pub(super) fn deref(&mut self, pointer: &Expression, at: At) -> Lowered {
        let object = self.object(pointer)?;
        let order = if object.declared.atomic { ReadOrder::SeqCst } else { ReadOrder::NotAtomic };
        self.load(&object, order, at)
    }

    fn target(&mut self, expression: &Expression) -> Result<Target, Located> {
        match &expression.kind {
            ExpressionKind::Name(name) => match self.local(name, expression.at)? {
                local if matches!(local.place, Operand::Const(_)) => {
                    Err((Problem::NotAssignable, expression.at))
                }
                local => match local.place {
                    Operand::Reg(register) => Ok(Target::Register(register, local.declared)),
                    Operand::Const(_) => unreachable!("matched above"),
                },
            },
            ExpressionKind::Deref(pointer) => self.object(pointer).map(Target::Memory),
            _ => Err((Problem::NotAssignable, expression.at)),
        }
    }

    /// `to = value`
    pub(super) fn assign(&mut self, to: &Expression, value: &Expression, at: At) -> Lowered {
        let target = self.target(to)?;
        let declared = match &target {
            Target::Register(_, declared) => declared.value(),
            Target::Memory(object) => object.declared.value(),
        };
        let operand = self.converted(value, &declared)?;
        self.set(&target, operand, at);
        Ok(Typed { operand, declared })
    }

    fn set(&mut self, target: &Target, value: Operand, at: At) {
        match target {
            Target::Register(dst, _) => self.asm.emit(Op::Move { dst: *dst, a: value }),
            Target::Memory(object) => {
                let order = if object.declared.atomic { WriteOrder::SeqCst } else { WriteOrder::NotAtomic };
                self.store(object, value, order, at);
            }
        }
    }

    /// `to += value`: the old value and the new one.
    pub(super) fn update(
        &mut self,
        binary: Binary,
        to: &Expression,
        value: &Expression,
        at: At,
    ) -> Result<(Typed, Typed), Located> {
        let target = self.target(to)?;
        if let Target::Memory(object) = &target
            && object.declared.atomic
        {
            return self.atomic_update(binary, object, value, at);
        }
        let old = match &target {
            Target::Memory(object) => self.load(object, ReadOrder::NotAtomic, at)?,
            Target::Register(register, declared) => {
                // A copy: the register is about to change.
                let operand = self.asm.result(|dst| Op::Move { dst, a: Operand::Reg(*register) })?;
                Typed { operand, declared: declared.value() }
            }
        };
        let value = self.scalar(value)?;
        let new = self.binary(binary, old.clone(), value, at)?;
        let operand = self.convert(&new, &old.declared, at)?;
        self.set(&target, operand, at);
        Ok((old.clone(), Typed { operand, ..old }))
    }

    /// C11 6.5.16.2: on an atomic object, one seq_cst read-modify-write.
    fn atomic_update(
        &mut self,
        binary: Binary,
        object: &Object,
        value: &Expression,
        at: At,
    ) -> Result<(Typed, Typed), Located> {
        let kind = match binary {
            Binary::Add => RmwKind::Add,
            Binary::Sub => RmwKind::Sub,
            Binary::And => RmwKind::And,
            Binary::Or => RmwKind::Or,
            Binary::Xor => RmwKind::Xor,
            _ => {
                let what = "this operator is not modelled for atomic objects: use a compare-exchange";
                return Err((Problem::Unsupported(what.to_owned()), at));
            }
        };
        let declared = number(object, at)?;
        let operand = self.converted(value, &declared)?;
        let old = self.rmw(object, kind, operand, Order::SeqCst, at)?;
        let new = self.binary(binary, old.clone(), Typed { operand, declared: declared.clone() }, at)?;
        let operand = self.convert(&new, &declared, at)?;
        Ok((old, Typed { operand, declared }))
    }

    fn rmw(&mut self, object: &Object, kind: RmwKind, value: Operand, order: Order, at: At) -> Lowered {
        let (size, address, order) = (object.declared.size(), object.address, rmw_order(order));
        self.asm.site(at, &object.name);
        let operand = self.asm.result(|dst| Op::Rmw { kind, size, order, dst, address, value })?;
        Ok(Typed { operand, declared: object.declared.value() })
    }

    /// A function of `<stdatomic.h>`.
    pub(super) fn call(&mut self, name: &str, arguments: &[Expression], at: At) -> Lowered {
        let (atomic, form) = Atomic::find(name).map_err(|problem| (problem, at))?;
        let expected = atomic.arguments(form);
        if arguments.len() != expected {
            return Err((Problem::Arguments(name.to_owned(), expected, arguments.len()), at));
        }
        let void = Type::plain(Kind::Void);
        match (atomic, arguments) {
            (Atomic::Load, [x, orders @ ..]) => {
                let object = self.object(x)?;
                let (order, order_at) = self.order(orders, form, at)?;
                let order = read_order(order, "a load").map_err(|problem| (problem, order_at))?;
                self.load(&object, order, at)
            }
            (Atomic::Store, [x, value, orders @ ..]) => {
                let object = self.object(x)?;
                let value = self.converted(value, &object.declared.value())?;
                let (order, order_at) = self.order(orders, form, at)?;
                let order = write_order(order).map_err(|problem| (problem, order_at))?;
                self.store(&object, value, order, at);
                Ok(Typed { operand: value, declared: void })
            }
            (Atomic::Rmw(kind), [x, value, orders @ ..]) => {
                let object = self.object(x)?;
                let declared =
                    if kind == RmwKind::Exchange { object.declared.value() } else { number(&object, x.at)? };
                let value = self.converted(value, &declared)?;
                let (order, _) = self.order(orders, form, at)?;
                self.rmw(&object, kind, value, order, at)
            }
            (Atomic::CompareExchange(strength), [x, expected, new, orders @ ..]) => {
                let orders = self.compare_exchange_orders(orders, form, at)?;
                self.compare_exchange(strength, [x, expected, new], orders, at)
            }
            (Atomic::Fence, orders) => {
                let (order, _) = self.order(orders, form, at)?;
                if let Some(order) = fence_order(order) {
                    self.asm.site(at, "");
                    self.asm.emit(Op::Fence(order));
                }
                Ok(Typed { operand: self.asm.number(0)?, declared: void })
            }
            (Atomic::Load | Atomic::Store | Atomic::Rmw(_) | Atomic::CompareExchange(_), _) => {
                unreachable!("the number of arguments was checked")
            }
        }
    }

    /// The order that a call says, or seq_cst; and where it says it.
    fn order(&mut self, orders: &[Expression], form: Form, at: At) -> Result<(Order, At), Located> {
        let (Form::Explicit, [written, ..]) = (form, orders) else { return Ok((Order::SeqCst, at)) };
        let ExpressionKind::Name(name) = &written.kind else {
            return Err((Problem::NoOrder("another expression".to_owned()), written.at));
        };
        let (order, consume) =
            order(name).ok_or_else(|| (Problem::NoOrder(format!("`{name}`")), written.at))?;
        if consume {
            self.consumes.push(written.at);
        }
        Ok((order, written.at))
    }

    fn compare_exchange_orders(
        &mut self,
        orders: &[Expression],
        form: Form,
        at: At,
    ) -> Result<Orders, Located> {
        let (success, _) = self.order(orders, form, at)?;
        let (failure, failure_at) = self.order(orders.get(1..).unwrap_or_default(), form, at)?;
        let failure = read_order(failure, "a compare-exchange that fails");
        Ok(Orders { success, failure: failure.map_err(|problem| (problem, failure_at))? })
    }

    /// `atomic_compare_exchange_*(x, expected, new)`: 1 if it wrote, otherwise `*expected` is what was read.
    fn compare_exchange(
        &mut self,
        strength: Strength,
        [x, expected, new]: [&Expression; 3],
        orders: Orders,
        at: At,
    ) -> Lowered {
        let object = self.object(x)?;
        let declared = object.declared.value();
        let target = self.expected(expected)?;
        let old = match &target {
            Target::Register(register, declared) => {
                Typed { operand: Operand::Reg(*register), declared: declared.value() }
            }
            Target::Memory(object) => self.load(object, ReadOrder::NotAtomic, at)?,
        };
        let expected = self.convert(&old, &declared, expected.at)?;
        let new = self.converted(new, &declared)?;
        let success = match strength {
            Strength::Strong => self.strong(&object, expected, new, orders, &target, at)?,
            Strength::Weak => self.weak(&object, expected, new, orders, &target, at)?,
        };
        Ok(Typed { operand: Operand::Reg(success), declared: INT })
    }

    /// Where the expected value is: `&r0`, or a pointer to a shared location, which is accessed plainly.
    fn expected(&mut self, expected: &Expression) -> Result<Target, Located> {
        let ExpressionKind::AddressOf(name) = &expected.kind else {
            return self.object(expected).map(Target::Memory);
        };
        let local = self.local(name, expected.at)?;
        match local.place {
            Operand::Reg(register) => Ok(Target::Register(register, local.declared)),
            Operand::Const(_) => Err((Problem::NotAssignable, expected.at)),
        }
    }

    /// The instruction itself: the value read, and whether it wrote.
    fn attempt(
        &mut self,
        object: &Object,
        expected: Operand,
        new: Operand,
        orders: Orders,
        at: At,
    ) -> Result<(Typed, Reg), Located> {
        let (size, address) = (object.declared.size(), object.address);
        let (order, failure) = (rmw_order(orders.success), orders.failure);
        let success = self.asm.register()?;
        self.asm.site(at, &object.name);
        let weak = false;
        let operand = self.asm.result(|dst| Op::CompareExchange {
            size,
            order,
            failure,
            weak,
            dst,
            success,
            address,
            expected,
            new,
        })?;
        Ok((Typed { operand, declared: object.declared.value() }, success))
    }

    fn strong(
        &mut self,
        object: &Object,
        expected: Operand,
        new: Operand,
        orders: Orders,
        target: &Target,
        at: At,
    ) -> Result<Reg, Located> {
        let (old, success) = self.attempt(object, expected, new, orders, at)?;
        let (failed, end) = (self.asm.label(), self.asm.label());
        self.asm.branch(Operand::Reg(success), end, failed);
        self.asm.place(failed);
        self.write_back(target, &old, at)?;
        self.asm.place(end);
        Ok(success)
    }

    /// A weak one succeeds, or it fails whatever it reads. A failure with another value is one of the second kind, so the
    /// first kind goes on only if it succeeds, and no execution comes twice.
    fn weak(
        &mut self,
        object: &Object,
        expected: Operand,
        new: Operand,
        orders: Orders,
        target: &Target,
        at: At,
    ) -> Result<Reg, Located> {
        let result = self.asm.register()?;
        let (succeeds, fails, end) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.asm.site(at, &object.name);
        let arguments = self.asm.list(&[]);
        self.asm.emit(Op::Builtin { builtin: Builtin::NondetBool, arguments, result: Some(result) });
        self.asm.branch(Operand::Reg(result), succeeds, fails);
        self.asm.place(succeeds);
        let (_, success) = self.attempt(object, expected, new, orders, at)?;
        let arguments = self.asm.list(&[Operand::Reg(success)]);
        self.asm.emit(Op::Builtin { builtin: Builtin::Assume, arguments, result: None });
        self.asm.jump(end);
        self.asm.place(fails);
        let old = self.load(object, orders.failure, at)?;
        self.write_back(target, &old, at)?;
        self.asm.place(end);
        Ok(result)
    }

    fn write_back(&mut self, target: &Target, old: &Typed, at: At) -> Result<(), Located> {
        match target {
            Target::Register(dst, declared) => {
                let a = self.convert(old, declared, at)?;
                self.asm.emit(Op::Move { dst: *dst, a });
            }
            Target::Memory(object) => {
                let value = self.convert(old, &object.declared.value(), at)?;
                self.store(object, value, WriteOrder::NotAtomic, at);
            }
        }
        Ok(())
    }
}

/// The type of an object that holds a number.
fn number(object: &Object, at: At) -> Result<Type, Located> {
    match object.declared.kind {
        Kind::Int { .. } => Ok(object.declared.value()),
        Kind::Bool | Kind::Void | Kind::Pointer(_) => Err((mismatch(&object.declared, "a number"), at)),
    }
}
