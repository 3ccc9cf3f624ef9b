//! The registers of a function, made to be copied: a few are a fixed array, which is a handful of instructions
//! without a call, a length or an allocation. A function that needs more has them all in a box.

use std::ops::{Deref, DerefMut};

/// How many registers need no box.
const FEW: usize = 16;

/// At least as many registers as the function has.
#[derive(Debug)]
pub(crate) struct Registers {
    few: [u64; FEW],
    /// Used instead of `few` if that is not enough.
    many: Option<Box<[u64]>>,
}

impl Registers {
    /// At least that many registers, all 0.
    pub(crate) fn new(count: u16) -> Registers {
        let count = usize::from(count);
        Registers { few: [0; FEW], many: (count > FEW).then(|| vec![0; count].into()) }
    }
}

impl Clone for Registers {
    #[inline]
    fn clone(&self) -> Registers {
        Registers { few: self.few, many: self.many.clone() }
    }

    #[inline]
    fn clone_from(&mut self, from: &Registers) {
        self.few = from.few;
        if self.many.is_some() || from.many.is_some() {
            self.many.clone_from(&from.many);
        }
    }
}

impl Deref for Registers {
    type Target = [u64];

    #[inline(always)]
    fn deref(&self) -> &[u64] {
        self.many.as_deref().unwrap_or(&self.few)
    }
}

impl DerefMut for Registers {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u64] {
        self.many.as_deref_mut().unwrap_or(&mut self.few)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_equal_whatever_was_there_before() {
        let fill = |count: u16, from: u64| {
            let mut registers = Registers::new(count);
            registers.iter_mut().zip(from..).for_each(|(register, value)| *register = value);
            registers
        };
        for (old, new) in [(3, 5), (3, 40), (40, 3), (40, 40), (40, 17)] {
            let (mut old, new) = (fill(old, 100), fill(new, 1000));
            old.clone_from(&new);
            assert_eq!(old[..], new[..]);
            assert_eq!(new.clone()[..], new[..]);
        }
    }
}
