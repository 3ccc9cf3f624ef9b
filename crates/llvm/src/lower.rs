//! From a module of LLVM to a module of bytecode.
//!
//! Functions are lowered one by one, each to virtual registers (`body`), and then get real ones (`registers`).
//! What is not modelled becomes an instruction that says so when it is reached (`Op::Refuse`); code that is never
//! reached may contain anything.
//!
//! `undef` and `poison` are lowered as 0. They come from reads of variables that have no value yet, and those are
//! kept in memory, where the virtual machine reports them (`assigned`); what remains are values that do not matter
//! (padding of structs in registers).
//!
//! Not modelled: variable arguments, exceptions, vectors, values of more than 64 bits, `long double`.

mod access;
mod body;
mod call;
mod edge;
mod instruction;
mod intrinsic;

use crate::ffi::{Bitcode, Kind, Value};
use crate::places::Sites;
use crate::symbols::{Image, Symbol, Symbols};
use crate::{layout, registers};
use base::Place;
use vm::bytecode::{Function, FunctionId, Global, GlobalId, Module};

/// What to make of the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Count the rounds of loops.
    pub(crate) unroll: bool,
    /// Give virtual registers real ones; switched off to test that this changes nothing.
    pub(crate) allocate: bool,
}

/// A global variable with which all of them together are larger than what is modelled.
#[derive(Clone, Debug)]
pub(crate) struct TooLarge {
    pub(crate) variable: String,
    pub(crate) size: u64,
}

/// Lower everything.
pub(crate) fn lower(bitcode: &Bitcode, options: Options) -> Result<Module, TooLarge> {
    let functions: Vec<Value<'_>> = bitcode.functions().filter(|f| !f.is_declaration()).collect();
    let globals: Vec<Value<'_>> = bitcode.globals().filter(|g| !is_compiler_table(&g.name())).collect();
    check_sizes(bitcode, &globals)?;
    let symbols = Symbols {
        bitcode,
        functions: functions.iter().enumerate().map(|(i, &f)| (f, FunctionId(i as u32))).collect(),
        globals: globals.iter().enumerate().map(|(i, &g)| (g, GlobalId(i as u32))).collect(),
    };
    let mut module = Module {
        globals: globals.iter().map(|&global| lower_global(&symbols, global)).collect(),
        main: functions.iter().position(|f| f.name() == "main").map(|i| FunctionId(i as u32)),
        constructors: run_at(&symbols, "llvm.global_ctors"),
        destructors: run_at(&symbols, "llvm.global_dtors").into_iter().rev().collect(),
        ..Module::default()
    };
    let mut sites = Sites::default();
    for &function in &functions {
        let lowered = body::lower(&symbols, &module.globals, &mut sites, function, options);
        module.functions.push(finish(lowered, options));
    }
    module.sites = sites.finish();
    Ok(module)
}

/// All global variables are held as bytes, several times over: there must be room for them.
fn check_sizes(bitcode: &Bitcode, globals: &[Value<'_>]) -> Result<(), TooLarge> {
    let mut total = 0u64;
    for &global in globals {
        let size = bitcode.size_of(global.value_type());
        total = total.saturating_add(size);
        if total > vm::MAX_BYTES {
            return Err(TooLarge { variable: source_name(global), size });
        }
    }
    Ok(())
}

/// The name of a global variable in the source.
fn source_name(global: Value<'_>) -> String {
    global.global_variable().and_then(|variable| variable.variable_name()).unwrap_or_else(|| global.name())
}

fn finish(mut function: Function, options: Options) -> Function {
    layout::compact(&mut function);
    if options.allocate {
        registers::drop_dead(&mut function);
        registers::allocate(&mut function);
        layout::compact(&mut function);
    }
    function
}

/// Tables that the compiler keeps in globals of reserved names.
fn is_compiler_table(name: &str) -> bool {
    name.starts_with("llvm.")
}

/// The functions in a table of the compiler's (an array of priority, function, data), by priority.
fn run_at(symbols: &Symbols<'_>, table: &str) -> Vec<FunctionId> {
    let Some(table) = symbols.bitcode.globals().find(|global| global.name() == table) else {
        return Vec::new();
    };
    let Some(entries) = table.initialiser().filter(|entries| entries.kind() == Kind::Aggregate) else {
        return Vec::new();
    };
    let mut functions: Vec<(u64, FunctionId)> = entries
        .operands()
        .into_iter()
        .filter_map(|entry| match symbols.resolve(entry.element(1)?) {
            Ok(Symbol::Function(id)) => Some((entry.element(0)?.integer()?, id)),
            _ => None,
        })
        .collect();
    functions.sort_by_key(|&(priority, _)| priority);
    functions.into_iter().map(|(_, id)| id).collect()
}

fn lower_global<'m>(symbols: &Symbols<'m>, global: Value<'m>) -> Global {
    let ty = global.value_type();
    let variable = global.global_variable();
    let symbol = global.name();
    let mut image = Image { bytes: vec![0; symbols.bitcode.size_of(ty) as usize], ..Image::default() };
    let is_stream = matches!(symbol.as_str(), "stdin" | "stdout" | "stderr") && global.is_declaration();
    // An initialiser that is not modelled makes the variable one that we know nothing of.
    let unmodelled = global.initialiser().and_then(|value| symbols.flatten(value, 0, &mut image).err());
    // The streams are only handed to functions that ignore them.
    let known = if global.is_declaration() { is_stream } else { unmodelled.is_none() };
    if !known {
        image.relocations.clear();
    }
    Global {
        name: source_name(global),
        bytes: image.bytes,
        relocations: image.relocations,
        align: global.align().max(symbols.bitcode.align_of(ty)),
        constant: global.is_constant_global() || is_stream,
        thread_local: global.is_thread_local(),
        place: variable.and_then(|v| v.variable_place()).map(|(file, line)| Place {
            file: file.into(),
            line,
            column: 0,
        }),
        external: !known,
        unmodelled,
    }
}
