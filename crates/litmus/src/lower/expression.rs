//! Expressions to bytecode, with C's conversions.
//!
//! A value of `n` bits is in a register with the higher bits clear, whatever its sign.

use super::body::Body;
use crate::error::Problem;
use crate::lexer::Located;
use crate::source::At;
use crate::state::Value;
use crate::syntax::{Binary, Expression, ExpressionKind, Logical, Unary};
use crate::types::{INT, Kind, Type};
use vm::bytecode::{BinOp, CmpOp, Op, Operand};

/// A value and its type.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) operand: Operand,
    pub(super) declared: Type,
}

pub(super) type Lowered = Result<Typed, Located>;

impl Body<'_> {
    /// Any expression, also one without a value.
    pub(super) fn expression(&mut self, expression: &Expression) -> Lowered {
        let at = expression.at;
        match &expression.kind {
            ExpressionKind::Number(value, declared) => {
                Ok(Typed { operand: self.asm.number(*value)?, declared: declared.clone() })
            }
            ExpressionKind::Name(name) => {
                let local = self.local(name, at)?;
                Ok(Typed { operand: local.place, declared: local.declared.value() })
            }
            ExpressionKind::Unary(unary, operand) => self.unary(*unary, operand),
            ExpressionKind::Deref(pointer) => self.deref(pointer, at),
            ExpressionKind::AddressOf(_) => Err((
                Problem::Unsupported(
                    "the address of a register can only be the expected value of a compare-exchange"
                        .to_owned(),
                ),
                at,
            )),
            ExpressionKind::Binary(binary, a, b) => {
                let (a, b) = (self.scalar(a)?, self.scalar(b)?);
                self.binary(*binary, a, b, at)
            }
            ExpressionKind::Logical(logical, a, b) => self.logical(*logical, a, b),
            ExpressionKind::Assign(to, value) => self.assign(to, value, at),
            ExpressionKind::Update(binary, to, value) => self.update(*binary, to, value, at).map(|new| new.1),
            ExpressionKind::PostUpdate(binary, to, value) => {
                self.update(*binary, to, value, at).map(|new| new.0)
            }
            ExpressionKind::Cast(to, operand) => self.cast(to, operand, at),
            ExpressionKind::Call(name, arguments) => self.call(name, arguments, at),
        }
    }

    /// An expression that has a value.
    pub(super) fn scalar(&mut self, expression: &Expression) -> Lowered {
        let value = self.expression(expression)?;
        match value.declared.kind {
            Kind::Void => Err((mismatch(&value.declared, "a value"), expression.at)),
            Kind::Bool | Kind::Int { .. } | Kind::Pointer(_) => Ok(value),
        }
    }

    /// An expression that has a value, as a value of another type.
    pub(super) fn converted(&mut self, expression: &Expression, to: &Type) -> Result<Operand, Located> {
        let value = self.scalar(expression)?;
        self.convert(&value, to, expression.at)
    }

    /// C11 6.3: to `_Bool`, between integers, between pointers to objects of the same size, and 0 to a pointer.
    pub(super) fn convert(&mut self, value: &Typed, to: &Type, at: At) -> Result<Operand, Located> {
        let from = &value.declared;
        let null = self.asm.known(value.operand) == Some(0);
        match (&from.kind, &to.kind) {
            (_, Kind::Bool) => self.truth(value),
            (Kind::Bool | Kind::Int { .. }, Kind::Int { .. }) => self.resize(value, to),
            (Kind::Pointer(a), Kind::Pointer(b)) if a.size() == b.size() || b.size() == 0 => {
                Ok(value.operand)
            }
            (Kind::Int { .. }, Kind::Pointer(_)) if null => Ok(value.operand),
            _ => Err((mismatch(from, &to.to_string()), at)),
        }
    }

    /// 1 if it is not 0.
    fn truth(&mut self, value: &Typed) -> Result<Operand, Located> {
        let (a, b, width) = (value.operand, self.asm.number(0)?, value.declared.bits());
        self.asm.result(|dst| Op::Cmp { op: CmpOp::Ne, width, dst, a, b })
    }

    fn resize(&mut self, value: &Typed, to: &Type) -> Result<Operand, Located> {
        let (from, a) = (&value.declared, value.operand);
        if let Some(known) = self.asm.known(a) {
            let signed = Value::wrapped(i128::from(known), from);
            return self.asm.number(Value::wrapped(signed, &Type::int(to.bits(), false)) as u64);
        }
        let (narrow, wide) = (from.bits(), to.bits());
        if wide < narrow {
            self.asm.result(|dst| Op::Trunc { width: wide, dst, a })
        } else if wide > narrow && from.is_signed() {
            self.asm.result(|dst| Op::SignExtend { from: narrow, to: wide, dst, a })
        } else {
            Ok(a)
        }
    }

    fn unary(&mut self, unary: Unary, operand: &Expression) -> Lowered {
        let value = self.scalar(operand)?;
        let zero = self.asm.number(0)?;
        if unary == Unary::Not {
            let (a, width) = (value.operand, value.declared.bits());
            let operand = self.asm.result(|dst| Op::Cmp { op: CmpOp::Eq, width, dst, a, b: zero })?;
            return Ok(Typed { operand, declared: INT });
        }
        if value.declared.is_pointer() {
            return Err((mismatch(&value.declared, "a number"), operand.at));
        }
        let declared = value.declared.promoted();
        let (a, width) = (self.convert(&value, &declared, operand.at)?, declared.bits());
        let operand = match unary {
            Unary::Plus | Unary::Not => a,
            Unary::Minus => self.asm.result(|dst| Op::Bin { op: BinOp::Sub, width, dst, a: zero, b: a })?,
            Unary::Complement => {
                let b = self.asm.number(u64::MAX >> (64 - width))?;
                self.asm.result(|dst| Op::Bin { op: BinOp::Xor, width, dst, a, b })?
            }
        };
        Ok(Typed { operand, declared })
    }

    pub(super) fn binary(&mut self, binary: Binary, a: Typed, b: Typed, at: At) -> Lowered {
        if a.declared.is_pointer() || b.declared.is_pointer() {
            return self.on_pointers(binary, &a, &b, at);
        }
        let declared = match binary {
            Binary::Shl | Binary::Shr => a.declared.promoted(),
            _ => a.declared.common(&b.declared),
        };
        let (a, b) = (self.convert(&a, &declared, at)?, self.convert(&b, &declared, at)?);
        self.asm.site(at, "");
        self.on_numbers(binary, a, b, declared)
    }

    /// Both operands have this type.
    fn on_numbers(&mut self, binary: Binary, a: Operand, b: Operand, declared: Type) -> Lowered {
        let (signed, width) = (declared.is_signed(), declared.bits());
        let pick = |if_signed, if_unsigned| if signed { if_signed } else { if_unsigned };
        let (less, less_equal) = if signed { (CmpOp::Slt, CmpOp::Sle) } else { (CmpOp::Ult, CmpOp::Ule) };
        let op = match binary {
            Binary::Add => BinOp::Add,
            Binary::Sub => BinOp::Sub,
            Binary::Mul => BinOp::Mul,
            Binary::Div => pick(BinOp::SDiv, BinOp::UDiv),
            Binary::Rem => pick(BinOp::SRem, BinOp::URem),
            Binary::Shl => BinOp::Shl,
            Binary::Shr => pick(BinOp::AShr, BinOp::LShr),
            Binary::And => BinOp::And,
            Binary::Or => BinOp::Or,
            Binary::Xor => BinOp::Xor,
            Binary::Equal => return self.compare(CmpOp::Eq, a, b, width),
            Binary::NotEqual => return self.compare(CmpOp::Ne, a, b, width),
            Binary::Less => return self.compare(less, a, b, width),
            Binary::LessEqual => return self.compare(less_equal, a, b, width),
            Binary::Greater => return self.compare(less, b, a, width),
            Binary::GreaterEqual => return self.compare(less_equal, b, a, width),
        };
        let operand = self.asm.result(|dst| Op::Bin { op, width, dst, a, b })?;
        Ok(Typed { operand, declared })
    }

    fn compare(&mut self, op: CmpOp, a: Operand, b: Operand, width: u8) -> Lowered {
        let operand = self.asm.result(|dst| Op::Cmp { op, width, dst, a, b })?;
        Ok(Typed { operand, declared: INT })
    }

    /// Pointers can be compared, and moved by a number: `x + (r0 ^ r0)` is an address dependency.
    fn on_pointers(&mut self, binary: Binary, a: &Typed, b: &Typed, at: At) -> Lowered {
        match binary {
            Binary::Equal | Binary::NotEqual => {
                let (pointer, other) = if a.declared.is_pointer() { (a, b) } else { (b, a) };
                let other = self.convert(other, &pointer.declared, at)?;
                let op = if binary == Binary::Equal { CmpOp::Eq } else { CmpOp::Ne };
                self.compare(op, pointer.operand, other, 64)
            }
            Binary::Add if b.declared.is_pointer() => self.moved(b, a, 1, at),
            Binary::Add => self.moved(a, b, 1, at),
            Binary::Sub if !b.declared.is_pointer() => self.moved(a, b, -1, at),
            _ => Err((Problem::Unsupported("this operator is not modelled for pointers".to_owned()), at)),
        }
    }

    fn moved(&mut self, pointer: &Typed, by: &Typed, sign: i32, at: At) -> Lowered {
        if by.declared.is_pointer() {
            return Err((mismatch(&by.declared, "a number"), at));
        }
        let size = pointer.declared.pointee().map_or(1, |to| to.size().max(1));
        let (base, index) = (pointer.operand, self.convert(by, &crate::types::LONG, at)?);
        let scale = sign * i32::from(size);
        let operand = self.asm.result(|dst| Op::Index { dst, base, index, scale })?;
        Ok(Typed { operand, declared: pointer.declared.clone() })
    }

    /// `a && b`, `a || b`: the second one only if it matters.
    fn logical(&mut self, logical: Logical, a: &Expression, b: &Expression) -> Lowered {
        let dst = self.asm.register()?;
        let (more, end) = (self.asm.label(), self.asm.label());
        let first = self.scalar(a)?;
        let known = self.asm.number(u64::from(logical == Logical::Or))?;
        self.asm.emit(Op::Move { dst, a: known });
        match logical {
            Logical::And => self.asm.branch(first.operand, more, end),
            Logical::Or => self.asm.branch(first.operand, end, more),
        }
        self.asm.place(more);
        let second = self.scalar(b)?;
        let a = self.truth(&second)?;
        self.asm.emit(Op::Move { dst, a });
        self.asm.place(end);
        Ok(Typed { operand: Operand::Reg(dst), declared: INT })
    }

    fn cast(&mut self, to: &Type, operand: &Expression, at: At) -> Lowered {
        if to.kind == Kind::Void {
            self.expression(operand)?;
            return Ok(Typed { operand: self.asm.number(0)?, declared: to.clone() });
        }
        let operand = self.converted(operand, to).map_err(|(problem, _)| (problem, at))?;
        Ok(Typed { operand, declared: to.value() })
    }
}

pub(super) fn mismatch(from: &Type, to: &str) -> Problem {
    Problem::Mismatch { from: from.to_string(), to: to.to_owned() }
}
