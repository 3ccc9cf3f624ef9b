//! The order of the code: what cannot be reached and what does nothing is left out.

use vm::bytecode::{Function, List, Op, Operand};
use vm::cfg::effects::{lists, successors};

/// Leave out unreachable instructions, choices that make no difference, jumps to what comes next, and moves of a
/// register to itself.
pub(crate) fn compact(function: &mut Function) {
    retarget(function, thread_jumps);
    for op in &mut function.code {
        if let Op::Branch { then, otherwise, .. } = *op
            && then == otherwise
        {
            *op = Op::Jump(then);
        }
    }
    let mut keep = reachable(function);
    for (pc, op) in function.code.iter().enumerate() {
        keep[pc] &= !matches!(*op, Op::Move { dst, a } if a == Operand::Reg(dst));
    }
    // From the back, so that a jump over jumps that go is one to what comes next, too.
    let mut next_kept = keep.len();
    for pc in (0..keep.len()).rev() {
        if let Op::Jump(to) = function.code[pc]
            && to as usize > pc
            && next_kept >= to as usize
        {
            keep[pc] = false;
        }
        if keep[pc] {
            next_kept = pc;
        }
    }
    let mut position = vec![0u32; keep.len() + 1];
    for pc in 0..keep.len() {
        position[pc + 1] = position[pc] + u32::from(keep[pc]);
    }
    retarget(function, |_, to| position[to as usize]);
    let mut kept = keep.iter();
    function.code.retain(|_| *kept.next().expect("one flag an instruction"));
    let mut kept = keep.iter();
    function.sites.retain(|_| *kept.next().expect("one flag an instruction"));
    drop_unused_tables(function);
}

/// Keep only the tables and lists that the instructions that are left use.
fn drop_unused_tables(function: &mut Function) {
    let (mut switches, mut operands, mut registers) = (Vec::new(), Vec::new(), Vec::new());
    for op in &mut function.code {
        if let Op::Switch { table, .. } = op {
            switches.push(std::mem::take(&mut function.switches[*table as usize]));
            *table = switches.len() as u32 - 1;
        }
        let (read, written) = lists(op);
        if let Some(list) = read {
            *list = copy(*list, &function.operands, &mut operands);
        }
        if let Some(list) = written {
            *list = copy(*list, &function.registers_list, &mut registers);
        }
    }
    function.switches = switches;
    function.operands = operands;
    function.registers_list = registers;
}

fn copy<T: Copy>(list: List, from: &[T], to: &mut Vec<T>) -> List {
    let first = to.len() as u32;
    to.extend_from_slice(&from[list.first as usize..][..usize::from(list.len)]);
    List { first, ..list }
}

/// Where a jump to `to` ends up. The number of jumps followed is bounded: there may be a cycle of nothing but jumps.
fn thread_jumps(code: &[Op], mut to: u32) -> u32 {
    for _ in 0..16 {
        match code[to as usize] {
            Op::Jump(next) => to = next,
            _ => break,
        }
    }
    to
}

fn retarget(function: &mut Function, target: impl Fn(&[Op], u32) -> u32) {
    let code = function.code.clone();
    for op in &mut function.code {
        match op {
            Op::Jump(to) => *to = target(&code, *to),
            Op::Branch { then, otherwise, .. } | Op::Landing { normal: then, pad: otherwise, .. } => {
                *then = target(&code, *then);
                *otherwise = target(&code, *otherwise);
            }
            _ => {}
        }
    }
    for table in
        code.iter().filter_map(|op| if let Op::Switch { table, .. } = op { Some(*table) } else { None })
    {
        let switch = &mut function.switches[table as usize];
        switch.cases.iter_mut().for_each(|(_, to)| *to = target(&code, *to));
        switch.default = target(&code, switch.default);
    }
}

fn reachable(function: &Function) -> Vec<bool> {
    let mut seen = vec![false; function.code.len()];
    let mut pending = vec![0];
    while let Some(pc) = pending.pop() {
        if !std::mem::replace(&mut seen[pc], true) {
            successors(function, pc, |to| pending.push(to));
        }
    }
    seen
}
