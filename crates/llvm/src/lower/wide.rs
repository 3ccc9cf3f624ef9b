//! Integers of 65 to 128 bits: two registers, the low 64 bits first.
//!
//! There are no instructions for them: sums carry, products are made of halves of words, shifts of shifts of the two words
//! (which give 0 by the width or more), and divisions subtract bit by bit.

use super::body::Body;
use vm::bytecode::{BinOp, CmpOp, Op, Operand, OverflowOp};

/// The low and the high word.
pub(super) type Pair = [Operand; 2];

impl Body<'_, '_> {
    /// Arithmetic on `width` bits.
    pub(super) fn wide_bin(&mut self, op: BinOp, width: u8, a: Pair, b: Pair) -> Pair {
        let [low, high] = match op {
            BinOp::Add => self.wide_sum([BinOp::Add, BinOp::Add], OverflowOp::UAdd, a, b),
            BinOp::Sub => self.wide_sum([BinOp::Sub, BinOp::Sub], OverflowOp::USub, a, b),
            BinOp::Mul => self.wide_product(a, b),
            BinOp::And | BinOp::Or | BinOp::Xor => {
                [self.asm.bin(op, 64, a[0], b[0]), self.asm.bin(op, 64, a[1], b[1])]
            }
            BinOp::Shl | BinOp::LShr => self.wide_shift(op == BinOp::Shl, a, b[0]),
            BinOp::AShr => {
                let a = self.wide_extended(width, a);
                self.wide_signed_shift(a, b[0])
            }
            BinOp::UDiv | BinOp::URem => self.wide_division(op == BinOp::UDiv, a, b),
            BinOp::SDiv | BinOp::SRem => self.wide_signed_division(op == BinOp::SDiv, width, a, b),
            BinOp::UMin | BinOp::UMax | BinOp::SMin | BinOp::SMax => {
                let is_signed = matches!(op, BinOp::SMin | BinOp::SMax);
                let less = self.wide_cmp(if is_signed { CmpOp::Slt } else { CmpOp::Ult }, width, a, b);
                let (a, b) = if matches!(op, BinOp::UMin | BinOp::SMin) { (a, b) } else { (b, a) };
                self.wide_select(less, a, b)
            }
        };
        [low, self.asm.truncate_to(width - 64, high)]
    }

    pub(super) fn wide_select(&mut self, condition: Operand, a: Pair, b: Pair) -> Pair {
        [self.asm.select(condition, a[0], b[0]), self.asm.select(condition, a[1], b[1])]
    }

    /// The sign of `width` bits in all of the high word.
    pub(super) fn wide_extended(&mut self, width: u8, a: Pair) -> Pair {
        [a[0], self.asm.sign_extend(width - 64, 64, a[1])]
    }

    pub(super) fn wide_cmp(&mut self, op: CmpOp, width: u8, a: Pair, b: Pair) -> Operand {
        let same = self.asm.cmp(CmpOp::Eq, width - 64, a[1], b[1]);
        match op {
            CmpOp::Eq | CmpOp::Ne => {
                let low = self.asm.cmp(op, 64, a[0], b[0]);
                let zero = self.asm.number(u64::from(op == CmpOp::Ne));
                self.asm.select(same, low, zero)
            }
            CmpOp::Ult | CmpOp::Ule | CmpOp::Slt | CmpOp::Sle => {
                let is_strict = matches!(op, CmpOp::Ult | CmpOp::Slt);
                let low = self.asm.cmp(if is_strict { CmpOp::Ult } else { CmpOp::Ule }, 64, a[0], b[0]);
                let high = self.asm.cmp(op, width - 64, a[1], b[1]);
                self.asm.select(same, low, high)
            }
        }
    }

    fn wide_sum(&mut self, [low_op, high_op]: [BinOp; 2], carry: OverflowOp, a: Pair, b: Pair) -> Pair {
        let low = self.asm.bin(low_op, 64, a[0], b[0]);
        let (_, carry) = self.asm.overflow(carry, 64, a[0], b[0]);
        let high = self.asm.bin(high_op, 64, a[1], b[1]);
        [low, self.asm.bin(high_op, 64, high, carry)]
    }

    fn wide_product(&mut self, a: Pair, b: Pair) -> Pair {
        let [low, carried] = self.product_of_words(a[0], b[0]);
        let (x, y) = (self.asm.bin(BinOp::Mul, 64, a[0], b[1]), self.asm.bin(BinOp::Mul, 64, a[1], b[0]));
        let high = self.asm.bin(BinOp::Add, 64, carried, x);
        [low, self.asm.bin(BinOp::Add, 64, high, y)]
    }

    /// All 128 bits of the product of two words, by halves.
    fn product_of_words(&mut self, a: Operand, b: Operand) -> Pair {
        let half = self.asm.number(32);
        let [[al, ah], [bl, bh]] = [a, b].map(|word| {
            let low = self.asm.truncate_to(32, word);
            [low, self.asm.bin(BinOp::LShr, 64, word, half)]
        });
        let mut product = |a, b| self.asm.bin(BinOp::Mul, 64, a, b);
        let (ll, lh, hl, hh) = (product(al, bl), product(al, bh), product(ah, bl), product(ah, bh));
        let low = product(a, b);
        // The middle: none of these sums has more than 64 bits.
        let carried = self.asm.bin(BinOp::LShr, 64, ll, half);
        let middle = self.asm.bin(BinOp::Add, 64, hl, carried);
        let (middle_low, middle_high) =
            (self.asm.truncate_to(32, middle), self.asm.bin(BinOp::LShr, 64, middle, half));
        let middle = self.asm.bin(BinOp::Add, 64, lh, middle_low);
        let carried = self.asm.bin(BinOp::LShr, 64, middle, half);
        let high = self.asm.bin(BinOp::Add, 64, hh, middle_high);
        [low, self.asm.bin(BinOp::Add, 64, high, carried)]
    }

    /// A shift of zeros into the number. Of the three parts of the word that is shifted into, at most one is not 0, or two are
    /// the same.
    fn wide_shift(&mut self, left: bool, a: Pair, by: Operand) -> Pair {
        let (op, back) = if left { (BinOp::Shl, BinOp::LShr) } else { (BinOp::LShr, BinOp::Shl) };
        let (from, to) = if left { (a[0], a[1]) } else { (a[1], a[0]) };
        let bits = self.asm.number(64);
        let (rest, more) = (self.asm.bin(BinOp::Sub, 64, bits, by), self.asm.bin(BinOp::Sub, 64, by, bits));
        let first = self.asm.bin(op, 64, from, by);
        let kept = self.asm.bin(op, 64, to, by);
        let (carried, far) = (self.asm.bin(back, 64, from, rest), self.asm.bin(op, 64, from, more));
        let second = self.asm.bin(BinOp::Or, 64, kept, carried);
        let second = self.asm.bin(BinOp::Or, 64, second, far);
        if left { [first, second] } else { [second, first] }
    }

    fn wide_signed_shift(&mut self, a: Pair, by: Operand) -> Pair {
        let bits = self.asm.number(64);
        let is_near = self.asm.cmp(CmpOp::Ult, 64, by, bits);
        let [near, _] = self.wide_shift(false, a, by);
        let more = self.asm.bin(BinOp::Sub, 64, by, bits);
        let far = self.asm.bin(BinOp::AShr, 64, a[1], more);
        [self.asm.select(is_near, near, far), self.asm.bin(BinOp::AShr, 64, a[1], by)]
    }

    /// The quotient or the remainder, bit by bit. Division by zero is a fault.
    fn wide_division(&mut self, quotient: bool, a: Pair, b: Pair) -> Pair {
        let any = self.asm.bin(BinOp::Or, 64, b[0], b[1]);
        let one = self.asm.bin(BinOp::UDiv, 64, any, any);
        let bits = self.asm.number(128);
        let bits = self.asm.bin(BinOp::Mul, 64, one, bits);
        let zero = self.asm.number(0);
        let [left, ql, qh, rl, rh] = [bits, a[0], a[1], zero, zero].map(|value| {
            let register = self.asm.fresh();
            self.asm.emit(Op::Move { dst: register, a: value });
            register
        });
        let (again, done) = (self.asm.label(), self.asm.label());
        self.asm.place(again);
        let (q, r) = ([Operand::Reg(ql), Operand::Reg(qh)], [Operand::Reg(rl), Operand::Reg(rh)]);
        let (top, one) = (self.asm.number(63), self.asm.number(1));
        let next = self.asm.bin(BinOp::LShr, 64, q[1], top);
        let over = self.asm.bin(BinOp::LShr, 64, r[1], top);
        let [shifted, high] = self.wide_shift(true, r, one);
        let r_shifted = [self.asm.bin(BinOp::Or, 64, shifted, next), high];
        let fits = self.wide_cmp(CmpOp::Ule, 128, b, r_shifted);
        let fits = self.asm.bin(BinOp::Or, 64, fits, over);
        let less = self.wide_sum([BinOp::Sub, BinOp::Sub], OverflowOp::USub, r_shifted, b);
        let r_next = self.wide_select(fits, less, r_shifted);
        let [shifted, high] = self.wide_shift(true, q, one);
        let q_next = [self.asm.bin(BinOp::Or, 64, shifted, fits), high];
        let left_next = self.asm.bin(BinOp::Sub, 64, Operand::Reg(left), one);
        let moves = [(left, left_next), (ql, q_next[0]), (qh, q_next[1]), (rl, r_next[0]), (rh, r_next[1])];
        moves.into_iter().for_each(|(dst, a)| self.asm.emit(Op::Move { dst, a }));
        self.asm.branch(Operand::Reg(left), again, done);
        self.asm.place(done);
        if quotient { q } else { r }
    }

    /// The smallest number divided by -1 is a fault, too.
    fn wide_signed_division(&mut self, quotient: bool, width: u8, a: Pair, b: Pair) -> Pair {
        let (a, b) = (self.wide_extended(width, a), self.wide_extended(width, b));
        let zero = self.asm.number(0);
        let smallest = self.asm.number((1u64 << (width - 65)).cast_signed().wrapping_neg().cast_unsigned());
        let ones = self.asm.number(u64::MAX);
        let is_smallest = self.wide_cmp(CmpOp::Eq, 128, a, [zero, smallest]);
        let is_minus_one = self.wide_cmp(CmpOp::Eq, 128, b, [ones, ones]);
        let overflows = self.asm.bin(BinOp::And, 1, is_smallest, is_minus_one);
        let (least, one) = (self.asm.number(1 << 63), self.asm.number(1));
        let (x, y) = (self.asm.select(overflows, least, one), self.asm.select(overflows, ones, one));
        let one = self.asm.bin(BinOp::SDiv, 64, x, y);
        let (sign_a, sign_b) =
            (self.asm.cmp(CmpOp::Slt, 64, a[1], zero), self.asm.cmp(CmpOp::Slt, 64, b[1], zero));
        let (x, y) = (self.wide_negated_if(sign_a, a), self.wide_negated_if(sign_b, b));
        let value = self.wide_division(quotient, x, y);
        let differ = self.asm.bin(BinOp::Xor, 1, sign_a, sign_b);
        let value = self.wide_negated_if(if quotient { differ } else { sign_a }, value);
        value.map(|word| self.asm.bin(BinOp::Mul, 64, word, one))
    }

    fn wide_negated_if(&mut self, condition: Operand, a: Pair) -> Pair {
        let zero = self.asm.number(0);
        let negated = self.wide_sum([BinOp::Sub, BinOp::Sub], OverflowOp::USub, [zero, zero], a);
        self.wide_select(condition, negated, a)
    }
}
