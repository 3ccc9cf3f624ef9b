//! Compile a snippet of C, look at the code, run it.
#![allow(dead_code, reason = "every test binary uses another part")]

use llvm::{CompileError, CompileRequest, Compiled, compile};
use program::{Program, Request};
use std::path::PathBuf;
use vm::bytecode::{Constant, Function, Module, Op, Operand};

/// Write a file with this name into a directory of its own, which stays.
pub(crate) fn write(name: &str, contents: &str) -> PathBuf {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory for the test");
    let file = directory.keep().join(name);
    std::fs::write(&file, contents).expect("a file for the test");
    file
}

/// Compile C, with options.
pub(crate) fn try_compile(
    source: &str,
    options: impl FnOnce(&mut CompileRequest),
) -> Result<Compiled, CompileError> {
    let mut request = CompileRequest::new(write("test.c", source));
    options(&mut request);
    compile(&request)
}

/// Compile C.
pub(crate) fn module(source: &str) -> Module {
    try_compile(source, |_| {}).expect("the snippet compiles").module
}

/// The function with this name.
pub(crate) fn function<'a>(module: &'a Module, name: &str) -> &'a Function {
    module.functions.iter().find(|f| f.name == name).expect("the function is there")
}

/// The accesses to globals, in the order of the code: `L x`, `S x`, `RMW x`, `CAS x`, `F`, with the order if it is
/// not plain.
pub(crate) fn accesses(module: &Module, name: &str) -> Vec<String> {
    let function = function(module, name);
    let on = |address: Operand| match address {
        Operand::Const(index) => match function.constants[usize::from(index)] {
            Constant::Global(id, 0) => module.globals[id.0 as usize].name.clone(),
            Constant::Global(id, offset) => format!("{}+{offset}", module.globals[id.0 as usize].name),
            other => format!("{other:?}"),
        },
        Operand::Reg(_) => "?".to_owned(),
    };
    let describe = |op: &Op| {
        Some(match *op {
            Op::Load { order: base::ReadOrder::NotAtomic, address, .. } => format!("L {}", on(address)),
            Op::Load { order, address, .. } => format!("L {order:?} {}", on(address)),
            Op::Store { order: base::WriteOrder::NotAtomic, address, .. } => format!("S {}", on(address)),
            Op::Store { order, address, .. } => format!("S {order:?} {}", on(address)),
            Op::Rmw { kind, order, address, .. } => format!("{kind:?} {order:?} {}", on(address)),
            Op::CompareExchange { order, failure, weak, address, .. } => {
                format!("CAS {order:?} {failure:?} {}{}", if weak { "weak " } else { "" }, on(address))
            }
            Op::Fence(order) => format!("F {order:?}"),
            _ => return None,
        })
    };
    function.code.iter().filter_map(describe).collect()
}

/// The texts of what is refused, anywhere in the module.
pub(crate) fn refusals(module: &Module) -> Vec<String> {
    let of = |f: &Function| {
        let text = |op: &Op| match op {
            Op::Refuse(text) => Some(f.texts[usize::from(*text)].clone()),
            _ => None,
        };
        f.code.iter().filter_map(text).collect::<Vec<_>>()
    };
    module.functions.iter().flat_map(of).collect()
}

/// Run a program that creates no threads. The answer is what `main` returns, or how it ended otherwise.
pub(crate) fn run(module: Module) -> Result<u32, String> {
    let options = vm::Options { unroll: Some(1000), ..vm::Options::default() };
    let machine = vm::Machine::new(module, options).expect("the module is well-formed");
    let mut state = machine.main();
    for _ in 0..1_000_000 {
        match machine.resume(&mut state, 0) {
            Request::Finish { value } => return Ok(value as u32),
            Request::Fault(fault) => return Err(format!("{}: {}", fault.kind.code(), fault.message)),
            Request::Refuse(refusal) => return Err(format!("refused: {}", refusal.message)),
            Request::Fence(_) => {}
            other => return Err(format!("{other:?}")),
        }
    }
    Err("does not end".into())
}

/// Compile and run, with and without shared registers, with and without counted loops: all are the same.
pub(crate) fn run_all_ways(source: &str) -> Result<u32, String> {
    let way = |unroll, allocate_registers| {
        let compiled = try_compile(source, |request| {
            request.unroll = unroll;
            request.allocate_registers = allocate_registers;
        });
        run(compiled.expect("the snippet compiles").module)
    };
    let result = way(false, true);
    assert_eq!(result, way(false, false), "registers of their own");
    assert_eq!(result, way(true, true), "counted loops");
    result
}
