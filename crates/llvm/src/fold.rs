//! Arithmetic on constants, as the virtual machine does it.
//!
//! Registers hold `width` bits, zero-extended. What would be a fault (a division by zero) is not folded: it has to
//! happen when the program gets there.

use vm::bytecode::{BinOp, CmpOp};

/// The low `width` bits.
pub(crate) fn truncate(value: u64, width: u8) -> u64 {
    if width >= 64 { value } else { value & ((1 << width) - 1) }
}

/// The low `width` bits as a signed number.
pub(crate) fn signed(value: u64, width: u8) -> i64 {
    let unused = 64 - u32::from(width);
    (value << unused).cast_signed() >> unused
}

/// Integer arithmetic; `None` where it would be a fault.
pub(crate) fn bin(op: BinOp, width: u8, a: u64, b: u64) -> Option<u64> {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let in_range = b < u64::from(width);
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::URem => a.checked_rem(b)?,
        // Division by zero, and of the smallest number by -1, stay for the virtual machine.
        BinOp::SDiv | BinOp::SRem if sb == 0 || sb == -1 => return None,
        BinOp::SDiv => (sa / sb).cast_unsigned(),
        BinOp::SRem => (sa % sb).cast_unsigned(),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => {
            if in_range {
                a << b
            } else {
                0
            }
        }
        BinOp::LShr => {
            if in_range {
                a >> b
            } else {
                0
            }
        }
        BinOp::AShr => (sa >> b.min(63)).cast_unsigned(),
        BinOp::UMin => a.min(b),
        BinOp::UMax => a.max(b),
        BinOp::SMin => sa.min(sb).cast_unsigned(),
        BinOp::SMax => sa.max(sb).cast_unsigned(),
    };
    Some(truncate(value, width))
}

/// Integer comparison.
pub(crate) fn cmp(op: CmpOp, width: u8, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(a, width), signed(b, width));
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Slt => sa < sb,
        CmpOp::Sle => sa <= sb,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_wraps_at_the_width() {
        assert_eq!(bin(BinOp::Add, 8, 255, 1), Some(0));
        assert_eq!(bin(BinOp::Sub, 32, 0, 1), Some(0xffff_ffff));
        assert_eq!(bin(BinOp::SDiv, 8, 0xfe, 2), Some(0xff), "-2 / 2");
        assert_eq!(bin(BinOp::AShr, 16, 0x8000, 40), Some(0xffff));
        assert_eq!(bin(BinOp::Shl, 64, 1, 64), Some(0));
        assert_eq!(bin(BinOp::SMin, 1, 1, 0), Some(1), "one bit: 1 is -1");
    }

    #[test]
    fn faults_are_not_folded() {
        assert_eq!(bin(BinOp::UDiv, 32, 1, 0), None);
        assert_eq!(bin(BinOp::SRem, 32, 1, 0), None);
        assert_eq!(bin(BinOp::SDiv, 32, 0x8000_0000, 0xffff_ffff), None);
    }

    #[test]
    fn comparisons_know_signs() {
        assert!(cmp(CmpOp::Slt, 8, 0xff, 0) && !cmp(CmpOp::Ult, 8, 0xff, 0));
        assert!(cmp(CmpOp::Sle, 64, u64::MAX, 0));
    }
}
