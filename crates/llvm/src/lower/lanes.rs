//! Vectors: one register a scalar, like arrays; an operation is done lane by lane. Values of one lane are no vectors, and take
//! the same way.

use super::body::Body;
use crate::ffi::{Type, TypeKind, Value};
use vm::bytecode::{BinOp, CmpOp, Operand};

impl<'m> Body<'_, 'm> {
    /// The type of a lane, and the operands of each lane of a value.
    pub(super) fn lanes(&mut self, value: Value<'m>) -> Result<Vec<Vec<Operand>>, String> {
        let parts = self.scalars(lane_type(value.ty()))?.len().max(1);
        Ok(self.all(value)?.chunks(parts).map(<[Operand]>::to_vec).collect())
    }

    /// The number of bits of a lane.
    pub(super) fn lane_width(&self, ty: Type<'m>) -> Result<u8, String> {
        match self.scalars(lane_type(ty))?.as_slice() {
            [scalar] => Ok(scalar.width),
            [low, high] if is_wide(lane_type(ty)) => Ok(low.width + high.width),
            _ => Err(format!("a value of type `{}` is not modelled here", ty.text())),
        }
    }

    /// Apply an operation to each lane of two values.
    pub(super) fn lane_by_lane(
        &mut self,
        a: Value<'m>,
        b: Value<'m>,
        mut operation: impl FnMut(&mut Self, &[Operand], &[Operand]) -> Result<Vec<Operand>, String>,
    ) -> Result<Vec<Operand>, String> {
        let (a, b) = (self.lanes(a)?, self.lanes(b)?);
        let mut values = Vec::new();
        for (a, b) in a.iter().zip(&b) {
            values.extend(operation(self, a, b)?);
        }
        Ok(values)
    }

    pub(super) fn extract_element(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let lanes = self.lanes(instruction.operand(0))?;
        let index = instruction.operand(1);
        let values = match index.integer() {
            Some(index) => lanes.get(index as usize).cloned().ok_or("an element beyond its vector")?,
            None => {
                let (width, index) = (self.width(index)?, self.one(index)?);
                let mut values = lanes[0].clone();
                for (number, lane) in lanes.iter().enumerate().skip(1) {
                    let is_here = self.is_lane(width, index, number);
                    values = self.choose(is_here, lane, &values);
                }
                values
            }
        };
        self.define(instruction, values);
        Ok(())
    }

    pub(super) fn insert_element(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let mut lanes = self.lanes(instruction.operand(0))?;
        let new = self.all(instruction.operand(1))?;
        let index = instruction.operand(2);
        match index.integer() {
            Some(index) => *lanes.get_mut(index as usize).ok_or("an element beyond its vector")? = new,
            None => {
                let (width, index) = (self.width(index)?, self.one(index)?);
                for (number, lane) in lanes.iter_mut().enumerate() {
                    let is_here = self.is_lane(width, index, number);
                    *lane = self.choose(is_here, &new, lane);
                }
            }
        }
        self.define(instruction, lanes.concat());
        Ok(())
    }

    fn is_lane(&mut self, width: u8, index: Operand, number: usize) -> Operand {
        let number = self.asm.number(number as u64);
        self.asm.cmp(CmpOp::Eq, width, index, number)
    }

    fn choose(&mut self, condition: Operand, a: &[Operand], b: &[Operand]) -> Vec<Operand> {
        a.iter().zip(b).map(|(&a, &b)| self.asm.select(condition, a, b)).collect()
    }

    pub(super) fn shuffle(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let mut lanes = self.lanes(instruction.operand(0))?;
        lanes.extend(self.lanes(instruction.operand(1))?);
        let zero = self.asm.number(0);
        let undefined = vec![zero; lanes[0].len()];
        let mut values = Vec::new();
        for from in instruction.shuffle_mask() {
            values.extend(from.and_then(|from| lanes.get(from)).unwrap_or(&undefined));
        }
        self.define(instruction, values);
        Ok(())
    }

    pub(super) fn select(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let condition = self.all(instruction.operand(0))?;
        let (a, b) = (self.lanes(instruction.operand(1))?, self.lanes(instruction.operand(2))?);
        let mut values = Vec::new();
        for (lane, (a, b)) in a.iter().zip(&b).enumerate() {
            // One condition decides for all lanes, or each has its own.
            let condition = *condition.get(lane).unwrap_or(&condition[0]);
            values.extend(self.choose(condition, a, b));
        }
        self.define(instruction, values);
        Ok(())
    }

    /// The same bits as another type: cut where the parts of that type begin and end. The first lane has the lowest bits.
    pub(super) fn reinterpret(&mut self, instruction: Value<'m>) -> Result<(), String> {
        let source = instruction.operand(0);
        let from: Vec<u8> = self.scalars(source.ty())?.iter().map(|part| part.width).collect();
        let to: Vec<u8> = self.scalars(instruction.ty())?.iter().map(|part| part.width).collect();
        let parts = self.all(source)?;
        if from == to {
            self.define(instruction, parts);
            return Ok(());
        }
        let mut values = Vec::new();
        let mut start = 0u32;
        for width in to {
            let end = start + u32::from(width);
            let mut value = self.asm.number(0);
            let mut at = 0u32;
            for (&part, &bits) in parts.iter().zip(&from) {
                let next = at + u32::from(bits);
                if at < end && start < next {
                    let below = self.asm.number(u64::from(start.saturating_sub(at)));
                    let above = self.asm.number(u64::from(at.saturating_sub(start)));
                    let shifted = self.asm.bin(BinOp::LShr, 64, part, below);
                    let shifted = self.asm.bin(BinOp::Shl, 64, shifted, above);
                    value = self.asm.bin(BinOp::Or, 64, value, shifted);
                }
                at = next;
            }
            values.push(self.asm.truncate_to(width, value));
            start = end;
        }
        self.define(instruction, values);
        Ok(())
    }
}

/// The type of a lane of a vector; any other type is its own.
pub(super) fn lane_type(ty: Type<'_>) -> Type<'_> {
    if ty.kind() == TypeKind::Vector { ty.element() } else { ty }
}

/// Whether it is an integer of two registers.
pub(super) fn is_wide(ty: Type<'_>) -> bool {
    matches!(ty.kind(), TypeKind::Integer(65..=128))
}

/// Whether values of the type are packed in memory by bits, not by bytes.
pub(super) fn is_packed(ty: Type<'_>) -> bool {
    match ty.kind() {
        TypeKind::Vector => !matches!(
            ty.element().kind(),
            TypeKind::Integer(8 | 16 | 32 | 64 | 128)
                | TypeKind::Float
                | TypeKind::Double
                | TypeKind::Pointer
        ),
        TypeKind::Struct | TypeKind::Array => ty.members().into_iter().any(is_packed),
        _ => false,
    }
}
