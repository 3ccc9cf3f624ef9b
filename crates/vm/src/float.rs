//! Floating point on 32 and 64 bits, in registers as the bits of the number. Rounding is to nearest.
//!
//! Not modelled: other rounding modes, exception flags, and the payload of a NaN that an operation makes.

use crate::arithmetic::{low, signed};
use crate::bytecode::{FloatCast, FloatCmp, FloatOp};
use std::cmp::Ordering;

/// An operation on numbers of `width` bits, 32 or 64.
pub(crate) fn float(op: FloatOp, width: u8, a: u64, b: u64) -> u64 {
    let sign = 1 << (width - 1);
    match op {
        // Exact for a NaN, too: only the sign bit changes.
        FloatOp::Neg => a ^ sign,
        FloatOp::Abs => a & !sign,
        _ if width == 32 => {
            let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            u64::from(arithmetic(op, a, b).to_bits())
        }
        _ => arithmetic(op, f64::from_bits(a), f64::from_bits(b)).to_bits(),
    }
}

fn arithmetic<F>(op: FloatOp, a: F, b: F) -> F
where
    F: std::ops::Add<Output = F>
        + std::ops::Sub<Output = F>
        + std::ops::Mul<Output = F>
        + std::ops::Div<Output = F>
        + std::ops::Rem<Output = F>,
{
    match op {
        FloatOp::Add => a + b,
        FloatOp::Sub => a - b,
        FloatOp::Mul => a * b,
        FloatOp::Div => a / b,
        FloatOp::Rem => a % b,
        FloatOp::Neg | FloatOp::Abs => unreachable!("done on the bits"),
    }
}

/// A comparison of numbers of `width` bits.
pub(crate) fn float_compare(op: FloatCmp, width: u8, a: u64, b: u64) -> bool {
    let relation = match number(a, width).partial_cmp(&number(b, width)) {
        Some(Ordering::Equal) => 1,
        Some(Ordering::Greater) => 2,
        Some(Ordering::Less) => 4,
        None => 8,
    };
    op.0 & relation != 0
}

/// Exact: every 32-bit number is a 64-bit number.
fn number(bits: u64, width: u8) -> f64 {
    if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
}

/// A conversion. A number that does not fit an integer is undefined in C; here it saturates.
pub(crate) fn float_cast(op: FloatCast, from: u8, to: u8, a: u64) -> u64 {
    match op {
        FloatCast::ToSigned => low((number(a, from) as i64).cast_unsigned(), to),
        FloatCast::ToUnsigned => low(number(a, from) as u64, to),
        FloatCast::FromSigned if to == 32 => u64::from((signed(a, from) as f32).to_bits()),
        FloatCast::FromSigned => (signed(a, from) as f64).to_bits(),
        FloatCast::FromUnsigned if to == 32 => u64::from((a as f32).to_bits()),
        FloatCast::FromUnsigned => (a as f64).to_bits(),
        FloatCast::Float if to == 32 => u64::from((number(a, from) as f32).to_bits()),
        FloatCast::Float => number(a, from).to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_widths_compute() {
        let f = |x: f32| u64::from(x.to_bits());
        assert_eq!(float(FloatOp::Add, 32, f(0.1), f(0.2)), f(0.1 + 0.2));
        assert_eq!(float(FloatOp::Div, 64, 1f64.to_bits(), 3f64.to_bits()), (1f64 / 3.0).to_bits());
        assert_eq!(float(FloatOp::Neg, 32, f(2.5), 0), f(-2.5));
        assert_eq!(float(FloatOp::Abs, 64, (-2.5f64).to_bits(), 0), 2.5f64.to_bits());
    }

    #[test]
    fn comparisons_know_the_unordered() {
        let (one, nan) = (1f64.to_bits(), f64::NAN.to_bits());
        assert!(float_compare(FloatCmp(1), 64, one, one) && !float_compare(FloatCmp(1), 64, nan, nan));
        assert!(float_compare(FloatCmp(8), 64, one, nan) && float_compare(FloatCmp(14), 64, one, nan));
        assert!(float_compare(FloatCmp(2), 32, u64::from(2f32.to_bits()), u64::from(1f32.to_bits())));
    }

    #[test]
    fn conversions_keep_the_value() {
        assert_eq!(float_cast(FloatCast::ToSigned, 64, 32, (-3.7f64).to_bits()), 0xffff_fffd);
        assert_eq!(float_cast(FloatCast::FromSigned, 8, 64, 0xff), (-1f64).to_bits());
        assert_eq!(float_cast(FloatCast::FromUnsigned, 8, 32, 0xff), u64::from(255f32.to_bits()));
        assert_eq!(float_cast(FloatCast::Float, 32, 64, u64::from(0.5f32.to_bits())), 0.5f64.to_bits());
    }
}
