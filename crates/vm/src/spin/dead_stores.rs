//! Dead stores: memory that every round of a loop writes before its thread, or another one, can read it.
//!
//! The contents of such memory at the header make no difference. [SAVER] leaves out all writes to memory that others
//! cannot reach; but the thread itself can, and a loop that counts its attempts there is not without effect. Only the
//! start of a round is looked at, up to its first branch, call or store that others can see. Addresses are a register
//! at the header plus a number; that the reads on the way are elsewhere is found out at run time.

use crate::bytecode::{BinOp, Constant, Function, Op, Operand, Reg, Span};
use crate::cfg::effects::writes_of;
use crate::cfg::{Cfg, is_arithmetic};
use base::WriteOrder;
use std::collections::BTreeMap;

/// The memory that is read and the memory that is written at the start of every round.
#[derive(Default, Debug)]
pub(super) struct DeadStores {
    pub(super) read: Vec<Span>,
    pub(super) written: Vec<Span>,
}

/// The value of each register in terms of the header; `None`: it is not known.
type Values = BTreeMap<Reg, Option<(Operand, i64)>>;

/// Look at the loop of a header.
pub(super) fn dead_stores(function: &Function, cfg: &Cfg, header: usize) -> DeadStores {
    let (mut found, mut values) = (DeadStores::default(), Values::new());
    let mut block = header;
    // Blocks that only jump are passed; one visit each at most.
    for _ in 0..cfg.blocks.len() {
        for &op in &cfg.blocks[block].ops {
            if let Op::Jump(to) = op {
                block = to as usize;
            } else if !found.add(function, &mut values, op) {
                return found;
            }
        }
        if block == header {
            break;
        }
    }
    found
}

impl DeadStores {
    /// Take one more instruction into account. Returns `false` if nothing after it is at the start any more.
    fn add(&mut self, function: &Function, values: &mut Values, op: Op) -> bool {
        match op {
            Op::Load { size, address, .. } => match span(values, address, size) {
                Some(span) => self.read.push(span),
                None => return false,
            },
            Op::Store { size, order: WriteOrder::NotAtomic, address, .. } => {
                match span(values, address, size) {
                    Some(span) => self.written.push(span),
                    None => return false,
                }
            }
            Op::Fence(_) | Op::Unroll { .. } | Op::LoopHead { .. } | Op::RoundStart { .. } => {}
            op if is_arithmetic(op) => {}
            _ => return false,
        }
        let result = value(function, values, op);
        writes_of(function, op, |register| {
            values.insert(register, None);
        });
        if let Some((register, value)) = result {
            values.insert(register, Some(value));
        }
        true
    }
}

/// The value of an operand in terms of the header.
fn known(values: &Values, operand: Operand) -> Option<(Operand, i64)> {
    match operand {
        Operand::Reg(register) => values.get(&register).copied().unwrap_or(Some((operand, 0))),
        Operand::Const(_) => Some((operand, 0)),
    }
}

fn span(values: &Values, address: Operand, size: u8) -> Option<Span> {
    known(values, address).map(|(base, offset)| Span { base, offset, size })
}

/// The value that an instruction puts into its register, if that is a copy or a sum.
fn value(function: &Function, values: &Values, op: Op) -> Option<(Reg, (Operand, i64))> {
    match op {
        Op::Move { dst, a } => Some((dst, known(values, a)?)),
        Op::Bin { op: BinOp::Add, width: 64, dst, a, b: Operand::Const(b) } => {
            let Constant::Value(b) = function.constants[usize::from(b)] else { return None };
            let (base, offset) = known(values, a)?;
            Some((dst, (base, offset.wrapping_add(b.cast_signed()))))
        }
        _ => None,
    }
}
