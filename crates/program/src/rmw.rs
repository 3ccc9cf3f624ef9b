//! Read-modify-write operations: from the value read to the value written.

use base::{Value, truncate};

/// A read-modify-write operation. Operands are truncated to the size of the access when it is applied.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RmwOp {
    /// Write the operand.
    Exchange(Value),
    /// Add.
    Add(Value),
    /// Subtract.
    Sub(Value),
    /// Bitwise and.
    And(Value),
    /// Bitwise or.
    Or(Value),
    /// Bitwise exclusive or.
    Xor(Value),
    /// Complement of the bitwise and.
    Nand(Value),
    /// Signed maximum.
    Max(Value),
    /// Signed minimum.
    Min(Value),
    /// Unsigned maximum.
    UMax(Value),
    /// Unsigned minimum.
    UMin(Value),
    /// Write `new` if `expected` is read; otherwise this is a load.
    CompareExchange {
        /// The value that must be read.
        expected: Value,
        /// The value that is then written.
        new: Value,
    },
}

impl RmwOp {
    /// The value written when `old` is read from `size` bytes; `None` if nothing is written.
    #[inline(always)]
    pub fn apply(self, old: Value, size: u8) -> Option<Value> {
        let new = match self {
            RmwOp::Exchange(v) => v,
            RmwOp::Add(v) => old.wrapping_add(v),
            RmwOp::Sub(v) => old.wrapping_sub(v),
            RmwOp::And(v) => old & v,
            RmwOp::Or(v) => old | v,
            RmwOp::Xor(v) => old ^ v,
            RmwOp::Nand(v) => !(old & v),
            RmwOp::Max(v) => std::cmp::max_by_key(v, old, |&x| signed(x, size)),
            RmwOp::Min(v) => std::cmp::min_by_key(old, v, |&x| signed(x, size)),
            RmwOp::UMax(v) => old.max(truncate(v, size)),
            RmwOp::UMin(v) => old.min(truncate(v, size)),
            RmwOp::CompareExchange { expected, new } => {
                if old != truncate(expected, size) {
                    return None;
                }
                new
            }
        };
        Some(truncate(new, size))
    }
}

/// The `size` low bytes as a signed number.
fn signed(value: Value, size: u8) -> i64 {
    let unused = 64 - 8 * u32::from(size);
    (value << unused).cast_signed() >> unused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_wrap_at_the_size_of_the_access() {
        assert_eq!(RmwOp::Add(1).apply(0xff, 1), Some(0));
        assert_eq!(RmwOp::Sub(1).apply(0, 4), Some(0xffff_ffff));
        assert_eq!(RmwOp::Nand(0xf).apply(0xff, 1), Some(0xf0));
        assert_eq!(RmwOp::Max(1).apply(0xff, 1), Some(1), "0xff is -1");
        assert_eq!(RmwOp::Min(1).apply(0xff, 1), Some(0xff));
        assert_eq!(RmwOp::UMax(1).apply(0xff, 1), Some(0xff));
        assert_eq!(RmwOp::UMin(1).apply(0xff, 1), Some(1));
        assert_eq!(RmwOp::CompareExchange { expected: 0x1ff, new: 0x201 }.apply(0xff, 1), Some(1));
        assert_eq!(RmwOp::CompareExchange { expected: 0, new: 1 }.apply(2, 4), None);
    }
}
