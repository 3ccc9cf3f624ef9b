//! The registers that an instruction reads and writes, and where it goes.
//!
//! An instruction reads all its operands before it writes any result, so a result may share a register with an
//! operand.

use crate::bytecode::*;

/// Call `read` on each operand and `write` on each destination that is in the instruction itself. The lists of
/// calls and returns are not: see [`lists()`].
pub fn visit(op: &mut Op, mut read: impl FnMut(&mut Operand), mut write: impl FnMut(&mut Reg)) {
    match op {
        Op::Move { dst, a }
        | Op::Unary { dst, a, .. }
        | Op::Trunc { dst, a, .. }
        | Op::SignExtend { dst, a, .. }
        | Op::FloatCast { dst, a, .. }
        | Op::Load { dst, address: a, .. }
        | Op::Alloca { dst, count: a, .. } => {
            read(a);
            write(dst);
        }
        Op::Bin { dst, a, b, .. }
        | Op::Cmp { dst, a, b, .. }
        | Op::Float { dst, a, b, .. }
        | Op::FloatCmp { dst, a, b, .. }
        | Op::Index { dst, base: a, index: b, .. }
        | Op::Rmw { dst, address: a, value: b, .. } => {
            read(a);
            read(b);
            write(dst);
        }
        Op::Overflow { dst, overflow, a, b, .. } => {
            read(a);
            read(b);
            write(dst);
            write(overflow);
        }
        Op::Select { dst, condition, a, b } => {
            read(condition);
            read(a);
            read(b);
            write(dst);
        }
        Op::InBounds { address, base, .. } => {
            read_register(address, &mut read);
            read(base);
        }
        Op::Store { address, value, .. } => {
            read(address);
            read(value);
        }
        Op::CompareExchange { dst, success, address, expected, new, .. } => {
            read(address);
            read(expected);
            read(new);
            write(dst);
            write(success);
        }
        // The start of a life may give the variable a new address, in the register of the old one: as `Unroll`.
        Op::Lifetime { address: Operand::Reg(variable), start: true } => {
            read(&mut Operand::Reg(*variable));
            write(variable);
        }
        Op::Lifetime { address: a, .. }
        | Op::Branch { condition: a, .. }
        | Op::Switch { value: a, .. }
        | Op::CallIndirect { callee: a, .. } => read(a),
        Op::ThreadLocal { dst, .. } | Op::RoundStart { dst } => write(dst),
        Op::SpinAssume { since, .. } => read_register(since, &mut read),
        Op::Unroll { counter } => {
            // Counts up in place: one register, to be renamed once.
            read(&mut Operand::Reg(*counter));
            write(counter);
        }
        Op::Builtin { result, .. } => result.iter_mut().for_each(write),
        Op::Landing { clauses, exception, selector, .. } => {
            read(clauses);
            write(exception);
            write(selector);
        }
        Op::Fence(_)
        | Op::Jump(_)
        | Op::Call { .. }
        | Op::Return { .. }
        | Op::LoopHead { .. }
        | Op::SpinCheck { .. }
        | Op::Unreachable
        | Op::Refuse(_) => {}
    }
}

fn read_register(register: &mut Reg, read: &mut impl FnMut(&mut Operand)) {
    let mut operand = Operand::Reg(*register);
    read(&mut operand);
    if let Operand::Reg(renamed) = operand {
        *register = renamed;
    }
}

/// The list that an instruction reads, and the one that it writes.
pub fn lists(op: &mut Op) -> (Option<&mut List>, Option<&mut List>) {
    match op {
        Op::Call { arguments, results, .. } | Op::CallIndirect { arguments, results, .. } => {
            (Some(arguments), Some(results))
        }
        Op::Builtin { arguments: list, .. } | Op::Return { values: list } => (Some(list), None),
        _ => (None, None),
    }
}

fn range(list: List) -> std::ops::Range<usize> {
    list.first as usize..list.first as usize + usize::from(list.len)
}

/// The registers that the instruction at `pc` reads.
pub fn reads(function: &Function, pc: usize, found: impl FnMut(Reg)) {
    reads_of(function, function.code[pc], found);
}

/// The registers that an instruction of the function reads.
pub fn reads_of(function: &Function, mut op: Op, mut found: impl FnMut(Reg)) {
    let mut read = |operand: &mut Operand| {
        if let Operand::Reg(register) = *operand {
            found(register);
        }
    };
    visit(&mut op, &mut read, |_| {});
    if let (Some(list), _) = lists(&mut op) {
        function.operands[range(*list)].iter().for_each(|&operand| read(&mut { operand }));
    }
}

/// The registers that the instruction at `pc` writes.
pub fn writes(function: &Function, pc: usize, found: impl FnMut(Reg)) {
    writes_of(function, function.code[pc], found);
}

/// The registers that an instruction of the function writes.
pub fn writes_of(function: &Function, mut op: Op, mut found: impl FnMut(Reg)) {
    visit(&mut op, |_| {}, |register| found(*register));
    if let (_, Some(list)) = lists(&mut op) {
        function.registers_list[range(*list)].iter().for_each(|&register| found(register));
    }
}

/// Whether execution goes on with the next instruction, and only there.
pub fn falls_through(op: Op) -> bool {
    !matches!(
        op,
        Op::Jump(_)
            | Op::Branch { .. }
            | Op::Switch { .. }
            | Op::Return { .. }
            | Op::SpinAssume { .. }
            | Op::Landing { .. }
            | Op::Unreachable
            | Op::Refuse(_)
    )
}

/// Where execution can go from `pc`.
pub fn successors(function: &Function, pc: usize, mut found: impl FnMut(usize)) {
    match function.code[pc] {
        Op::Jump(to) => found(to as usize),
        Op::Branch { then, otherwise, .. } | Op::Landing { normal: then, pad: otherwise, .. } => {
            found(then as usize);
            found(otherwise as usize);
        }
        Op::Switch { table, .. } => {
            let switch = &function.switches[table as usize];
            switch.cases.iter().for_each(|&(_, to)| found(to as usize));
            found(switch.default as usize);
        }
        op if falls_through(op) => found(pc + 1),
        _ => {}
    }
}

/// Whether the instruction can be left out if its result is never read. Not if it can be wrong, be seen by other
/// threads, or read memory: an unused read can still race.
pub fn is_pure(op: Op) -> bool {
    match op {
        Op::Bin { op, .. } => !matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem),
        Op::Move { .. }
        | Op::Overflow { .. }
        | Op::Unary { .. }
        | Op::Cmp { .. }
        | Op::Trunc { .. }
        | Op::SignExtend { .. }
        | Op::Select { .. }
        | Op::Index { .. }
        | Op::Float { .. }
        | Op::FloatCmp { .. }
        | Op::FloatCast { .. }
        | Op::ThreadLocal { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_life_writes_the_register_that_it_reads() {
        let lifetime = |start| Op::Lifetime { address: Operand::Reg(Reg(3)), start };
        let function = Function { code: vec![lifetime(true), lifetime(false)], ..Function::default() };
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for pc in 0..2 {
            reads(&function, pc, |register| read.push((pc, register)));
            writes(&function, pc, |register| written.push((pc, register)));
        }
        assert_eq!((read, written), (vec![(0, Reg(3)), (1, Reg(3))], vec![(0, Reg(3))]));
        let mut op = lifetime(true);
        visit(&mut op, |_| {}, |register| register.0 += 1);
        assert_eq!(op, Op::Lifetime { address: Operand::Reg(Reg(4)), start: true });
    }
}
