//! Purity: which instructions leave no trace, for other threads or in memory.
//!
//! Implements: [SAVER] section III, "pure": no stores, unless they are compare-exchanges that fail.
//! Differs: a plain load counts as an effect. Left out with its round, its race with an access that the thread brings
//! about after the loop would not be seen. So do calls: their effects are found out at run time.

use crate::Builtin;
use crate::bytecode::Op;
use base::ReadOrder;

/// The effects that an instruction may have, without running it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purity {
    /// It changes registers at most.
    Pure,
    /// It reads memory that another thread may have written, and changes registers at most.
    Load,
    /// It is pure if it fails.
    CompareExchange,
    /// It may have effects.
    Effect,
}

impl Purity {
    pub(crate) fn of(op: Op) -> Purity {
        match op {
            Op::Load { order: ReadOrder::NotAtomic, .. } => Purity::Effect,
            Op::Load { .. } => Purity::Load,
            Op::CompareExchange { .. } => Purity::CompareExchange,
            Op::Builtin { builtin, .. } => Purity::of_builtin(builtin),
            Op::Move { .. }
            | Op::Bin { .. }
            | Op::Overflow { .. }
            | Op::Unary { .. }
            | Op::Cmp { .. }
            | Op::Trunc { .. }
            | Op::SignExtend { .. }
            | Op::Select { .. }
            | Op::Index { .. }
            | Op::InBounds { .. }
            | Op::Float { .. }
            | Op::FloatCmp { .. }
            | Op::FloatCast { .. }
            | Op::Fence(_)
            | Op::Jump(_)
            | Op::Branch { .. }
            | Op::Switch { .. }
            | Op::Unroll { .. }
            | Op::LoopHead { .. }
            | Op::SpinCheck { .. }
            | Op::RoundStart { .. }
            | Op::SpinAssume { .. }
            | Op::Landing { .. }
            | Op::Unreachable
            | Op::Refuse(_) => Purity::Pure,
            Op::Store { .. }
            | Op::Rmw { .. }
            | Op::Alloca { .. }
            | Op::Lifetime { .. }
            | Op::ThreadLocal { .. }
            | Op::Call { .. }
            | Op::CallIndirect { .. }
            | Op::Return { .. } => Purity::Effect,
        }
    }

    fn of_builtin(builtin: Builtin) -> Purity {
        match builtin {
            Builtin::Hint
            | Builtin::Assume
            | Builtin::NondetBool
            | Builtin::PthreadSelf
            | Builtin::PthreadEqual
            | Builtin::AssertFail
            | Builtin::Abort
            | Builtin::VerifierError => Purity::Pure,
            _ => Purity::Effect,
        }
    }
}

/// Whether it is arithmetic on registers that cannot go wrong.
pub(crate) fn is_arithmetic(op: Op) -> bool {
    super::effects::is_pure(op) && !matches!(op, Op::ThreadLocal { .. })
}

/// Whether it changes registers at most, and says where to go on, without a request and without going wrong.
pub(crate) fn is_silent(op: Op) -> bool {
    is_arithmetic(op)
        || matches!(op, Op::Jump(_) | Op::Branch { .. } | Op::Switch { .. } | Op::RoundStart { .. })
        || matches!(op, Op::Builtin { builtin: Builtin::Hint, .. })
}

/// Whether it is a mark of a loop, or a place where its thread may have to stop.
pub(crate) fn is_loop_mark(op: Op) -> bool {
    matches!(op, Op::Unroll { .. } | Op::LoopHead { .. } | Op::SpinCheck { .. } | Op::SpinAssume { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::{Operand, Reg, RmwKind};
    use base::{RmwOrder, WriteOrder};

    #[test]
    fn stores_are_effects_and_loads_are_not_unless_they_can_race() {
        let (dst, address) = (Reg(0), Operand::Reg(Reg(1)));
        let load = |order| Op::Load { size: 4, order, partial: false, dst, address };
        assert_eq!(Purity::of(load(ReadOrder::Relaxed)), Purity::Load);
        assert_eq!(Purity::of(load(ReadOrder::NotAtomic)), Purity::Effect);
        let store = Op::Store { size: 4, order: WriteOrder::Relaxed, address, value: address };
        assert_eq!(Purity::of(store), Purity::Effect);
        let order = RmwOrder::Relaxed;
        let rmw = Op::Rmw { kind: RmwKind::Add, size: 4, order, dst, address, value: address };
        assert_eq!(Purity::of(rmw), Purity::Effect);
        assert!(is_arithmetic(Op::Move { dst, a: address }) && !is_arithmetic(store));
    }
}
