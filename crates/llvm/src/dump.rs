//! Bytecode as text, one instruction a line, for tests and for the curious.

use std::fmt::Write;
use vm::bytecode::{Constant, Function, List, Module, Op, Operand, Reg};

/// The whole module as text.
pub fn dump(module: &Module) -> String {
    let mut text = String::new();
    for (index, global) in module.globals.iter().enumerate() {
        let kind = match (global.external, global.thread_local, global.constant) {
            (true, ..) => " external",
            (_, true, _) => " thread_local",
            (_, _, true) => " constant",
            _ => "",
        };
        let _ = writeln!(text, "g{index} {} size {}{kind}", global.name, global.bytes.len());
        for (offset, relocation) in &global.relocations {
            let _ = writeln!(text, "    +{offset} {relocation:?}");
        }
    }
    for (index, function) in module.functions.iter().enumerate() {
        let Function { name, parameters, registers, .. } = function;
        let _ = writeln!(text, "f{index} {name} parameters {parameters} registers {registers}");
        for (pc, op) in function.code.iter().enumerate() {
            let site = &module.sites[function.sites[pc].0 as usize];
            let place =
                site.place.as_ref().map_or(String::new(), |place| format!("{}:{}", place.line, place.column));
            let line = format!("  {pc:4}  {}", instruction(module, function, *op));
            let _ = writeln!(text, "{line:<78}; {} {place} {}", site.function, site.operand);
        }
    }
    text
}

fn operand(module: &Module, function: &Function, operand: Operand) -> String {
    match operand {
        Operand::Reg(Reg(register)) => format!("r{register}"),
        Operand::Const(index) => match function.constants[usize::from(index)] {
            Constant::Value(value) => format!("{:#}", value.cast_signed()),
            Constant::Global(id, 0) => module.globals[id.0 as usize].name.clone(),
            Constant::Global(id, offset) => format!("{}{offset:+}", module.globals[id.0 as usize].name),
            Constant::Function(id) => format!("&f{}", id.0),
            Constant::External(name) => format!("&{}", function.texts[usize::from(name)]),
        },
    }
}

fn instruction(module: &Module, function: &Function, op: Op) -> String {
    let show = |a: Operand| operand(module, function, a);
    let list = |list: List| {
        let range = list.first as usize..list.first as usize + usize::from(list.len);
        function.operands[range].iter().map(|&a| show(a)).collect::<Vec<_>>().join(", ")
    };
    let results = |list: List| {
        let range = list.first as usize..list.first as usize + usize::from(list.len);
        function.registers_list[range].iter().map(|r| format!("r{}", r.0)).collect::<Vec<_>>().join(", ")
    };
    match op {
        Op::Move { dst, a } => format!("r{} = {}", dst.0, show(a)),
        Op::Bin { op, width, dst, a, b } => format!("r{} = {op:?}.{width} {}, {}", dst.0, show(a), show(b)),
        Op::Overflow { op, width, dst, overflow, a, b } => {
            format!("r{}, r{} = {op:?}.{width} {}, {}", dst.0, overflow.0, show(a), show(b))
        }
        Op::Unary { op, width, dst, a } => format!("r{} = {op:?}.{width} {}", dst.0, show(a)),
        Op::Cmp { op, width, dst, a, b } => format!("r{} = {op:?}.{width} {}, {}", dst.0, show(a), show(b)),
        Op::Trunc { width, dst, a } => format!("r{} = Trunc.{width} {}", dst.0, show(a)),
        Op::SignExtend { from, to, dst, a } => format!("r{} = SignExtend.{from}.{to} {}", dst.0, show(a)),
        Op::Select { dst, condition, a, b } => {
            format!("r{} = Select {}, {}, {}", dst.0, show(condition), show(a), show(b))
        }
        Op::Index { dst, base, index, scale } => {
            format!("r{} = {} + {} * {scale}", dst.0, show(base), show(index))
        }
        Op::InBounds { address, base, size } => format!("InBounds r{}, {}, {size}", address.0, show(base)),
        Op::Float { op, width, dst, a, b } => {
            format!("r{} = Float{op:?}.{width} {}, {}", dst.0, show(a), show(b))
        }
        Op::FloatCmp { op, width, dst, a, b } => {
            format!("r{} = FloatCmp({}).{width} {}, {}", dst.0, op.0, show(a), show(b))
        }
        Op::FloatCast { op, from, to, dst, a } => format!("r{} = {op:?}.{from}.{to} {}", dst.0, show(a)),
        Op::Load { size, order, partial, dst, address } => {
            let partial = if partial { "Partial" } else { "" };
            format!("r{} = Load{partial}.{size} {order:?} {}", dst.0, show(address))
        }
        Op::Store { size, order, address, value } => {
            format!("Store.{size} {order:?} {}, {}", show(address), show(value))
        }
        Op::Rmw { kind, size, order, dst, address, value } => {
            format!("r{} = Rmw{kind:?}.{size} {order:?} {}, {}", dst.0, show(address), show(value))
        }
        Op::CompareExchange { size, order, failure, weak, dst, success, address, expected, new } => {
            let weak = if weak { "Weak" } else { "" };
            let (address, expected, new) = (show(address), show(expected), show(new));
            format!(
                "r{}, r{} = CompareExchange{weak}.{size} {order:?} {failure:?} {address}, {expected}, {new}",
                dst.0, success.0
            )
        }
        Op::Fence(order) => format!("Fence {order:?}"),
        Op::Alloca { dst, size, align, count } => {
            format!("r{} = Alloca {size} align {align} x {}", dst.0, show(count))
        }
        Op::Lifetime { address, start } => {
            format!("Lifetime {} {}", if start { "start" } else { "end" }, show(address))
        }
        Op::ThreadLocal { dst, global } => {
            format!("r{} = ThreadLocal {}", dst.0, module.globals[global.0 as usize].name)
        }
        Op::Jump(to) => format!("Jump {to}"),
        Op::Branch { condition, then, otherwise } => format!("Branch {} {then} {otherwise}", show(condition)),
        Op::Switch { value, table } => {
            let switch = &function.switches[table as usize];
            format!("Switch {} {:?} default {}", show(value), switch.cases, switch.default)
        }
        Op::LoopHead { watch } => format!("LoopHead {watch}"),
        Op::SpinCheck { watch } => format!("SpinCheck {watch}"),
        Op::RoundStart { dst } => format!("r{} = RoundStart", dst.0),
        Op::SpinAssume { since, .. } => format!("SpinAssume r{}", since.0),
        Op::Unroll { counter } => format!("Unroll r{}", counter.0),
        Op::Call { function, arguments, results: to } => {
            let name = &module.functions[function.0 as usize].name;
            format!("{} = Call {name}({})", results(to), list(arguments))
        }
        Op::CallIndirect { callee, arguments, results: to } => {
            format!("{} = CallIndirect {}({})", results(to), show(callee), list(arguments))
        }
        Op::Builtin { builtin, arguments, result } => {
            let result = result.map_or(String::new(), |register| format!("r{} = ", register.0));
            format!("{result}{builtin:?}({})", list(arguments))
        }
        Op::Landing { normal, pad, clauses, exception, selector } => {
            format!("r{}, r{} = Landing {} {normal} {pad}", exception.0, selector.0, show(clauses))
        }
        Op::Return { values } => format!("Return {}", list(values)),
        Op::Unreachable => "Unreachable".into(),
        Op::Refuse(text) => format!("Refuse {:?}", function.texts[usize::from(text)]),
    }
}
