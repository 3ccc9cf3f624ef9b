//! Whether a module is well-formed. The interpreter relies on every point checked here.

use crate::builtin::Builtin;
use crate::bytecode::{
    Constant, FloatCast, Function, Global, List, Module, Op, Operand, Reg, Relocation, Watch,
};
use crate::cfg::effects::{falls_through, successors};
use crate::machine::BuildError;
use base::{ReadOrder, Site, WriteOrder};
use smallvec::{SmallVec, smallvec};

/// The operands, registers, targets and lists that an instruction names.
#[derive(Default)]
struct Parts {
    operands: SmallVec<[Operand; 4]>,
    registers: SmallVec<[Reg; 3]>,
    targets: SmallVec<[u32; 2]>,
    /// Of `Function::operands`.
    arguments: List,
    /// Of `Function::registers_list`.
    results: List,
}

/// All conditions, over the whole module.
pub(crate) fn check(module: &Module) -> Result<(), BuildError> {
    let main = module.main.ok_or(BuildError::NoMain)?;
    for function in module.constructors.iter().chain(&module.destructors).chain([&main]) {
        require(has_function(module, function.0), || "a start function that does not exist".to_owned())?;
    }
    let parameters = module.functions[main.0 as usize].parameters;
    require(parameters <= 3, || format!("`main` has {parameters} parameters"))?;
    for function in &module.functions {
        check_function(module, function)?;
    }
    module.globals.iter().try_for_each(|global| check_global(module, global))
}

/// The source map has every site. (A module that was built by hand may do without one.)
pub(crate) fn check_sites(module: &Module) -> Result<(), BuildError> {
    let is_known = |site: &Site| (site.0 as usize) < module.sites.len();
    for (number, site) in module.sites.iter().enumerate() {
        let comes_later = |caller: Site| caller.0 as usize >= number;
        require(!site.caller.is_some_and(comes_later), || format!("site {number}: its caller comes later"))?;
        let known = site.object.is_none_or(|object| (object as usize) < module.objects.len());
        require(known, || format!("site {number}: an object that does not exist"))?;
    }
    for function in &module.functions {
        let known = function.sites.iter().all(is_known);
        require(known, || format!("`{}`: a site that the source map does not have", function.name))?;
    }
    Ok(())
}

fn require(condition: bool, what: impl FnOnce() -> String) -> Result<(), BuildError> {
    if condition { Ok(()) } else { Err(BuildError::Malformed(what())) }
}

fn has_function(module: &Module, index: u32) -> bool {
    (index as usize) < module.functions.len()
}

/// Whether it is a global with one address.
fn has_global(module: &Module, index: u32) -> bool {
    module.globals.get(index as usize).is_some_and(|global| !global.thread_local)
}

fn check_global(module: &Module, global: &Global) -> Result<(), BuildError> {
    let context = || format!("the global `{}`", global.name);
    require(global.align.max(1).is_power_of_two(), || format!("{}: alignment {}", context(), global.align))?;
    for &(offset, ref relocation) in &global.relocations {
        let inside = offset.checked_add(8).is_some_and(|end| end <= global.bytes.len() as u64);
        require(inside, || format!("{}: relocation at {offset}", context()))?;
        let known = match *relocation {
            Relocation::Global(to, _) => has_global(module, to.0),
            Relocation::Function(to) => has_function(module, to.0),
            Relocation::External(_) => true,
        };
        require(known, || format!("{}: {relocation:?} does not exist", context()))?;
    }
    Ok(())
}

fn check_function(module: &Module, function: &Function) -> Result<(), BuildError> {
    let name = &function.name;
    require(function.parameters <= function.registers, || format!("`{name}`: too few registers"))?;
    require(function.sites.len() == function.code.len(), || format!("`{name}`: a site per instruction"))?;
    for constant in &function.constants {
        let known = match *constant {
            Constant::Value(_) => true,
            Constant::Global(to, _) => has_global(module, to.0),
            Constant::Function(to) => has_function(module, to.0),
            Constant::External(text) => usize::from(text) < function.texts.len(),
        };
        require(known, || format!("`{name}`: {constant:?} does not exist"))?;
    }
    require(function.operands.iter().all(|&o| has_operand(function, o)), || format!("`{name}`: operands"))?;
    require(function.registers_list.iter().all(|&r| has_register(function, r)), || {
        format!("`{name}`: results")
    })?;
    let targets = function.switches.iter().flat_map(|s| s.cases.iter().map(|case| case.1).chain([s.default]));
    require({ targets }.all(|target| has_target(function, target)), || format!("`{name}`: switches"))?;
    require(has_own_tables(function), || format!("`{name}`: two switches with one table"))?;
    require(function.watches.iter().all(|watch| check_watch(function, watch)), || {
        format!("`{name}`: watches")
    })?;
    require(is_in_order(function, function.roles.iter().map(|role| role.0)), || format!("`{name}`: roles"))?;
    let ends = function.code.last().is_some_and(|&op| !falls_through(op));
    require(ends, || format!("`{name}`: control leaves at the end"))?;
    for (pc, &op) in function.code.iter().enumerate() {
        let fine = check_op(module, function, op);
        require(fine, || format!("`{name}`: instruction {pc}: {op:?}"))?;
    }
    require(has_calls_before_landings(function), || format!("`{name}`: a landing that follows no call"))
}

/// Whether every switch has a table of its own. A pass that redirects one of them redirects no other.
fn has_own_tables(function: &Function) -> bool {
    let mut is_taken = vec![false; function.switches.len()];
    function.code.iter().all(|op| match *op {
        Op::Switch { table, .. } => {
            is_taken.get_mut(table as usize).is_none_or(|taken| !std::mem::replace(taken, true))
        }
        _ => true,
    })
}

/// Whether every landing comes right after a call, and is reached in no other way. A thread that lands finds it there.
fn has_calls_before_landings(function: &Function) -> bool {
    let code = &function.code;
    let is_landing = |pc: usize| matches!(code.get(pc), Some(Op::Landing { .. }));
    let is_call = |op: &Op| matches!(op, Op::Call { .. } | Op::CallIndirect { .. } | Op::Builtin { .. });
    let mut fine = !is_landing(0);
    for (pc, &op) in code.iter().enumerate() {
        match falls_through(op) {
            true => fine &= !is_landing(pc + 1) || is_call(&op),
            false => successors(function, pc, |to| fine &= !is_landing(to)),
        }
    }
    fine
}

fn check_watch(function: &Function, watch: &Watch) -> bool {
    let spans = watch.written.iter().chain(&watch.read);
    watch.live.iter().all(|&register| has_register(function, register)) && { spans }
        .all(|span| has_operand(function, span.base) && (1..=8).contains(&span.size))
}

/// Whether these are instructions of the function, each once and in their order. They are looked up by binary search.
fn is_in_order(function: &Function, code: impl Iterator<Item = u32> + Clone) -> bool {
    let next = code.clone().skip(1);
    code.clone().zip(next).all(|(a, b)| a < b) && code.last().is_none_or(|last| has_target(function, last))
}

fn has_register(function: &Function, register: Reg) -> bool {
    register.0 < function.registers
}

fn has_operand(function: &Function, operand: Operand) -> bool {
    match operand {
        Operand::Reg(register) => has_register(function, register),
        Operand::Const(constant) => usize::from(constant) < function.constants.len(),
    }
}

fn has_target(function: &Function, target: u32) -> bool {
    (target as usize) < function.code.len()
}

fn check_op(module: &Module, function: &Function, op: Op) -> bool {
    let parts = parts(op);
    let inside = |list: List, len: usize| list.first as usize + usize::from(list.len) <= len;
    parts.operands.iter().all(|&operand| has_operand(function, operand))
        && parts.registers.iter().all(|&register| has_register(function, register))
        && parts.targets.iter().all(|&target| has_target(function, target))
        && inside(parts.arguments, function.operands.len())
        && inside(parts.results, function.registers_list.len())
        && check_numbers(module, function, op)
}

/// Widths, sizes, and the tables that an instruction names.
fn check_numbers(module: &Module, function: &Function, op: Op) -> bool {
    let width = |width: u8| (1..=64).contains(&width);
    let float = |width: u8| width == 32 || width == 64;
    match op {
        Op::Bin { width: w, .. }
        | Op::Overflow { width: w, .. }
        | Op::Unary { width: w, .. }
        | Op::Cmp { width: w, .. }
        | Op::Trunc { width: w, .. } => width(w),
        Op::SignExtend { from, to, .. } => width(from) && width(to),
        Op::Float { width: w, .. } => float(w),
        Op::FloatCmp { op, width: w, .. } => float(w) && op.0 < 16,
        Op::FloatCast { op, from, to, .. } => match op {
            FloatCast::ToSigned | FloatCast::ToUnsigned => float(from) && width(to),
            FloatCast::FromSigned | FloatCast::FromUnsigned => width(from) && float(to),
            FloatCast::Float => float(from) && float(to),
        },
        Op::Load { size, order: ReadOrder::NotAtomic, .. }
        | Op::Store { size, order: WriteOrder::NotAtomic, .. } => (1..=8).contains(&size),
        Op::Load { size, .. }
        | Op::Store { size, .. }
        | Op::Rmw { size, .. }
        | Op::CompareExchange { size, .. } => [1, 2, 4, 8].contains(&size),
        Op::ThreadLocal { global, .. } => {
            module.globals.get(global.0 as usize).is_some_and(|global| global.thread_local)
        }
        Op::Switch { table, .. } => (table as usize) < function.switches.len(),
        Op::Call { function: callee, .. } => has_function(module, callee.0),
        Op::Builtin { builtin: Builtin::Returned, arguments, .. } => has_size(function, arguments),
        Op::Refuse(text) => usize::from(text) < function.texts.len(),
        Op::Alloca { align, .. } => align.max(1).is_power_of_two(),
        Op::Move { .. }
        | Op::Select { .. }
        | Op::Index { .. }
        | Op::InBounds { .. }
        | Op::Fence(_)
        | Op::Lifetime { .. }
        | Op::Jump(_)
        | Op::Branch { .. }
        | Op::Unroll { .. }
        | Op::CallIndirect { .. }
        | Op::Builtin { .. }
        | Op::Return { .. }
        | Op::RoundStart { .. }
        | Op::SpinAssume { .. }
        | Op::Unreachable => true,
        Op::Landing { clauses, .. } => matches!(clauses, Operand::Const(_)),
        Op::LoopHead { watch } | Op::SpinCheck { watch } => usize::from(watch) < function.watches.len(),
    }
}

/// Whether the second argument is the size of a value.
fn has_size(function: &Function, arguments: List) -> bool {
    let Some(Operand::Const(constant)) = function.operand(arguments, 1) else { return false };
    matches!(function.constants[usize::from(constant)], Constant::Value(1..=8))
}

fn parts(op: Op) -> Parts {
    let empty = Parts::default();
    match op {
        Op::Move { dst, a }
        | Op::Unary { dst, a, .. }
        | Op::Trunc { dst, a, .. }
        | Op::SignExtend { dst, a, .. }
        | Op::FloatCast { dst, a, .. } => {
            Parts { operands: smallvec![a], registers: smallvec![dst], ..empty }
        }
        Op::Bin { dst, a, b, .. }
        | Op::Cmp { dst, a, b, .. }
        | Op::Float { dst, a, b, .. }
        | Op::FloatCmp { dst, a, b, .. } => {
            Parts { operands: smallvec![a, b], registers: smallvec![dst], ..empty }
        }
        Op::Overflow { dst, overflow, a, b, .. } => {
            Parts { operands: smallvec![a, b], registers: smallvec![dst, overflow], ..empty }
        }
        Op::Select { dst, condition, a, b } => {
            Parts { operands: smallvec![condition, a, b], registers: smallvec![dst], ..empty }
        }
        Op::Index { dst, base, index, .. } => {
            Parts { operands: smallvec![base, index], registers: smallvec![dst], ..empty }
        }
        Op::InBounds { address, base, .. } => {
            Parts { operands: smallvec![base], registers: smallvec![address], ..empty }
        }
        Op::Load { dst, address, .. } => {
            Parts { operands: smallvec![address], registers: smallvec![dst], ..empty }
        }
        Op::Store { address, value, .. } => Parts { operands: smallvec![address, value], ..empty },
        Op::Rmw { dst, address, value, .. } => {
            Parts { operands: smallvec![address, value], registers: smallvec![dst], ..empty }
        }
        Op::CompareExchange { dst, success, address, expected, new, .. } => {
            Parts { operands: smallvec![address, expected, new], registers: smallvec![dst, success], ..empty }
        }
        Op::Alloca { dst, count, .. } => {
            Parts { operands: smallvec![count], registers: smallvec![dst], ..empty }
        }
        Op::Lifetime { address, .. } => Parts { operands: smallvec![address], ..empty },
        Op::ThreadLocal { dst, .. } => Parts { registers: smallvec![dst], ..empty },
        Op::Jump(target) => Parts { targets: smallvec![target], ..empty },
        Op::Branch { condition, then, otherwise } => {
            Parts { operands: smallvec![condition], targets: smallvec![then, otherwise], ..empty }
        }
        Op::Switch { value, .. } => Parts { operands: smallvec![value], ..empty },
        Op::Unroll { counter } => Parts { registers: smallvec![counter], ..empty },
        Op::Call { arguments, results, .. } => Parts { arguments, results, ..empty },
        Op::CallIndirect { callee, arguments, results } => {
            Parts { operands: smallvec![callee], arguments, results, ..empty }
        }
        Op::Builtin { arguments, result, .. } => {
            Parts { registers: result.into_iter().collect(), arguments, ..empty }
        }
        Op::Return { values } => Parts { arguments: values, ..empty },
        Op::Landing { normal, pad, clauses, exception, selector } => Parts {
            operands: smallvec![clauses],
            registers: smallvec![exception, selector],
            targets: smallvec![normal, pad],
            ..empty
        },
        Op::RoundStart { dst: register } | Op::SpinAssume { since: register, .. } => {
            Parts { registers: smallvec![register], ..empty }
        }
        Op::Fence(_) | Op::LoopHead { .. } | Op::SpinCheck { .. } | Op::Unreachable | Op::Refuse(_) => empty,
    }
}
