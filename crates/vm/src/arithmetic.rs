//! Integer arithmetic on 1 to 64 bits. Operands have their unused high bits clear, and so do results.

use crate::bytecode::{BinOp, CmpOp, OverflowOp, UnaryOp};

/// The low `width` bits.
#[inline(always)]
pub(crate) fn low(value: u64, width: u8) -> u64 {
    value & (u64::MAX >> (64 - u32::from(width)))
}

/// The value as a signed number of `width` bits.
#[inline(always)]
pub(crate) fn signed(value: u64, width: u8) -> i64 {
    let unused = 64 - u32::from(width);
    (value << unused).cast_signed() >> unused
}

/// An operation on two operands. `None`: division by zero, or of the smallest number by -1.
#[inline(always)]
pub(crate) fn binary(op: BinOp, width: u8, a: u64, b: u64) -> Option<u64> {
    let by_sign = |min: bool| if (signed(a, width) < signed(b, width)) == min { a } else { b };
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl if b < u64::from(width) => a << b,
        BinOp::LShr if b < u64::from(width) => a >> b,
        BinOp::Shl | BinOp::LShr => 0,
        BinOp::AShr => (signed(a, width) >> b.min(63)).cast_unsigned(),
        BinOp::UDiv => return a.checked_div(b),
        BinOp::URem => return a.checked_rem(b),
        BinOp::SDiv | BinOp::SRem => return signed_division(op == BinOp::SDiv, width, a, b),
        BinOp::UMin => a.min(b),
        BinOp::UMax => a.max(b),
        BinOp::SMin => by_sign(true),
        BinOp::SMax => by_sign(false),
    };
    Some(low(result, width))
}

fn signed_division(quotient: bool, width: u8, a: u64, b: u64) -> Option<u64> {
    let (x, y) = (signed(a, width), signed(b, width));
    let smallest = 1 << (width - 1);
    if y == 0 || (a == smallest && y == -1) {
        return None;
    }
    Some(low((if quotient { x / y } else { x % y }).cast_unsigned(), width))
}

/// The result, and whether it overflowed.
pub(crate) fn overflowing(op: OverflowOp, width: u8, a: u64, b: u64) -> (u64, bool) {
    let (ua, ub) = (u128::from(a), u128::from(b));
    let (sa, sb) = (i128::from(signed(a, width)), i128::from(signed(b, width)));
    let unsigned = |exact: u128| (low(exact as u64, width), exact >> width != 0);
    let with_sign = |exact: i128| {
        let result = low(exact as u64, width);
        (result, i128::from(signed(result, width)) != exact)
    };
    match op {
        OverflowOp::UAdd => unsigned(ua + ub),
        OverflowOp::USub => unsigned(ua.wrapping_sub(ub)),
        OverflowOp::UMul => unsigned(ua * ub),
        OverflowOp::SAdd => with_sign(sa + sb),
        OverflowOp::SSub => with_sign(sa - sb),
        OverflowOp::SMul => with_sign(sa * sb),
    }
}

/// An operation on one operand.
pub(crate) fn unary(op: UnaryOp, width: u8, a: u64) -> u64 {
    let unused = 64 - u32::from(width);
    match op {
        UnaryOp::PopCount => u64::from(a.count_ones()),
        UnaryOp::LeadingZeros => u64::from(low(a, width).leading_zeros() - unused),
        UnaryOp::TrailingZeros => u64::from(a.trailing_zeros().min(u32::from(width))),
        UnaryOp::ByteSwap => a.swap_bytes() >> unused,
        UnaryOp::BitReverse => a.reverse_bits() >> unused,
        UnaryOp::Abs => low(signed(a, width).unsigned_abs(), width),
    }
}

/// A comparison.
#[inline(always)]
pub(crate) fn compare(op: CmpOp, width: u8, a: u64, b: u64) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Slt => signed(a, width) < signed(b, width),
        CmpOp::Sle => signed(a, width) <= signed(b, width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_wraps_at_the_width() {
        assert_eq!(binary(BinOp::Add, 8, 0xff, 2), Some(1));
        assert_eq!(binary(BinOp::Sub, 1, 0, 1), Some(1));
        assert_eq!(binary(BinOp::Mul, 64, u64::MAX, 2), Some(u64::MAX - 1));
        assert_eq!(binary(BinOp::Shl, 32, 1, 31), Some(1 << 31));
        assert_eq!(binary(BinOp::Shl, 32, 1, 32), Some(0));
        assert_eq!(binary(BinOp::LShr, 64, 1 << 63, 64), Some(0));
        assert_eq!(binary(BinOp::AShr, 8, 0x80, 9), Some(0xff));
        assert_eq!(binary(BinOp::AShr, 16, 0x4000, 3), Some(0x800));
        assert_eq!(binary(BinOp::SMin, 8, 0xff, 1), Some(0xff));
        assert_eq!(binary(BinOp::SMax, 8, 0xff, 1), Some(1));
        assert_eq!(binary(BinOp::SMin, 8, 3, 3), Some(3));
        assert_eq!(binary(BinOp::UMax, 8, 0xff, 1), Some(0xff));
    }

    #[test]
    fn division_faults_where_c_leaves_it_undefined() {
        assert_eq!(binary(BinOp::UDiv, 32, 7, 0), None);
        assert_eq!(binary(BinOp::SRem, 32, 7, 0), None);
        assert_eq!(binary(BinOp::SDiv, 32, 0x8000_0000, 0xffff_ffff), None);
        assert_eq!(binary(BinOp::SDiv, 64, 1 << 63, u64::MAX), None);
        assert_eq!(binary(BinOp::SDiv, 32, 0xffff_fff9, 2), Some(0xffff_fffd), "-7 / 2 is -3");
        assert_eq!(binary(BinOp::SRem, 32, 0xffff_fff9, 2), Some(0xffff_ffff), "-7 % 2 is -1");
        assert_eq!(binary(BinOp::URem, 32, 7, 4), Some(3));
    }

    #[test]
    fn overflow_is_told_at_every_width() {
        assert_eq!(overflowing(OverflowOp::UAdd, 32, 0xffff_ffff, 1), (0, true));
        assert_eq!(overflowing(OverflowOp::UAdd, 64, u64::MAX, 1), (0, true));
        assert_eq!(overflowing(OverflowOp::USub, 32, 1, 2), (0xffff_ffff, true));
        assert_eq!(overflowing(OverflowOp::SAdd, 32, 0x7fff_ffff, 1), (0x8000_0000, true));
        assert_eq!(overflowing(OverflowOp::SSub, 32, 1, 2), (0xffff_ffff, false));
        assert_eq!(overflowing(OverflowOp::SMul, 64, 1 << 62, 2), (1 << 63, true));
        assert_eq!(overflowing(OverflowOp::UMul, 8, 15, 17), (255, false));
    }

    #[test]
    fn bit_counts_know_the_width() {
        assert_eq!(unary(UnaryOp::LeadingZeros, 32, 1), 31);
        assert_eq!(unary(UnaryOp::LeadingZeros, 8, 0), 8);
        assert_eq!(unary(UnaryOp::LeadingZeros, 8, 0x1ff), 0, "a number that is too wide is cut");
        assert_eq!(unary(UnaryOp::TrailingZeros, 16, 0), 16);
        assert_eq!(unary(UnaryOp::ByteSwap, 16, 0x1234), 0x3412);
        assert_eq!(unary(UnaryOp::BitReverse, 8, 1), 0x80);
        assert_eq!(unary(UnaryOp::Abs, 32, 0xffff_ffff), 1);
        assert_eq!(unary(UnaryOp::PopCount, 64, u64::MAX), 64);
    }

    #[test]
    fn comparisons_see_the_sign_bit_of_the_width() {
        assert!(compare(CmpOp::Slt, 8, 0x80, 0) && !compare(CmpOp::Slt, 16, 0x80, 0));
        assert!(compare(CmpOp::Sle, 32, 0xffff_ffff, 0) && !compare(CmpOp::Ule, 32, 0xffff_ffff, 0));
    }
}
