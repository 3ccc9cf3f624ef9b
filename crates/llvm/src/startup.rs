//! What runs before and after `main`: constructors and destructors; and what would run, or be somewhere, without the
//! bytecode showing it.
//!
//! Such things are no part of any function, so no execution would ever come to them: they are refused before anything
//! else runs, by a constructor that says so.

use crate::ffi::{Bitcode, Kind, Value};
use crate::places::Sites;
use crate::runtime::ATTRIBUTE;
use crate::symbols::{Symbol, Symbols};
use base::{Place, SiteInfo};
use vm::bytecode::{Function, FunctionId, Op};

/// The tables of the compiler: an array of priority, function, data.
const TABLES: [&str; 2] = ["llvm.global_ctors", "llvm.global_dtors"];

/// What the start files of the C library run, or what is part of their code.
const SECTIONS: [&str; 7] =
    [".init", ".fini", ".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors"];

/// With these attributes the compiler would call a function at the start or the end of another one.
const INSTRUMENTED: [&str; 4] = [
    "instrument-function-entry",
    "instrument-function-entry-inlined",
    "instrument-function-exit",
    "instrument-function-exit-inlined",
];

/// Something that is not modelled and that no function shows.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) text: String,
    pub(crate) place: Option<Place>,
}

/// The functions that run before `main` and those that run after it, in order.
pub(crate) fn constructors_and_destructors(symbols: &Symbols<'_>) -> [Vec<FunctionId>; 2] {
    let [constructors, mut destructors] = TABLES.map(|table| run_at(symbols, table));
    destructors.reverse();
    [constructors, destructors]
}

/// The functions in a table, by priority, those of the C runtime after others. All of them have a body: [`refusals`] has seen to
/// that.
fn run_at(symbols: &Symbols<'_>, table: &str) -> Vec<FunctionId> {
    let is_of_runtime = |it: Value<'_>| it.kind() == Kind::Function && it.has_attribute(ATTRIBUTE);
    let mut functions: Vec<((u64, bool), FunctionId)> = entries(symbols.bitcode, table)
        .into_iter()
        .filter_map(|entry| match symbols.resolve(entry.element(1)?) {
            Ok(Symbol::Function(id)) => {
                Some(((entry.element(0)?.integer()?, is_of_runtime(entry.element(1)?)), id))
            }
            _ => None,
        })
        .collect();
    functions.sort_by_key(|&(order, _)| order);
    functions.into_iter().map(|(_, id)| id).collect()
}

fn entries<'m>(bitcode: &'m Bitcode, table: &str) -> Vec<Value<'m>> {
    let table = bitcode.globals().find(|global| global.name() == table);
    let entries = table.and_then(Value::initialiser).filter(|entries| entries.kind() == Kind::Aggregate);
    entries.map(Value::operands).unwrap_or_default()
}

/// Everything of a module that is to be refused before it runs. To be asked before passes leave out what nobody uses.
pub(crate) fn refusals(bitcode: &Bitcode) -> Vec<Refusal> {
    let mut found = Vec::new();
    found.extend(file_assembly(bitcode));
    found.extend(bitcode.globals().filter(|global| !global.is_declaration()).filter_map(in_section));
    found.extend(bitcode.functions().filter(|f| !f.is_declaration()).filter_map(in_section));
    found.extend(bitcode.functions().filter_map(hidden_code));
    found.extend(bitcode.resolved().filter(|function| function.is_used()).map(resolved));
    let started = TABLES.iter().flat_map(|table| entries(bitcode, table));
    found.extend(started.filter_map(|entry| entry.element(1)).filter_map(not_callable));
    found
}

fn refuse(text: String) -> Refusal {
    Refusal { text, place: None }
}

fn file_assembly(bitcode: &Bitcode) -> Option<Refusal> {
    let assembly = bitcode.file_assembly();
    let first = assembly.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(refuse(format!(
        "assembly outside of all functions (`{first}`) is not modelled: write it in C, or leave it out"
    )))
}

fn in_section(global: Value<'_>) -> Option<Refusal> {
    let section = global.section();
    let is_in = |name: &&&str| {
        section.strip_prefix(**name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    SECTIONS.iter().find(is_in)?;
    let variable = if global.kind() == Kind::Global { global.global_variable() } else { None };
    let place = variable.and_then(|variable| variable.variable_place());
    let text = format!(
        "`{}` is put into the section `{section}`, which runs outside of `main`: that is not modelled, \
         use __attribute__((constructor)) or __attribute__((destructor))",
        global.name()
    );
    Some(Refusal { text, place: place.map(|(file, line)| Place { file: file.into(), line, column: 0 }) })
}

fn hidden_code(function: Value<'_>) -> Option<Refusal> {
    let name = function.name();
    if INSTRUMENTED.iter().any(|attribute| function.has_attribute(attribute)) {
        let what = "is instrumented, and the calls that this adds are not modelled";
        let text = format!("`{name}` {what}: compile without -finstrument-functions and -pg");
        return Some(refuse(text));
    }
    function.has_prologue_data().then(|| refuse(format!("the prologue data of `{name}` is not modelled")))
}

fn resolved(function: Value<'_>) -> Refusal {
    refuse(format!(
        "`{}` is chosen by a resolver that runs when the program starts (`ifunc`): that is not modelled, \
         call the function itself",
        function.name()
    ))
}

/// Something in a table that cannot be called without arguments.
fn not_callable(function: Value<'_>) -> Option<Refusal> {
    let what = match function.kind() {
        Kind::Zero => return None,
        Kind::Alias => return not_callable(function.aliasee()),
        Kind::Function if function.is_declaration() => "without a body",
        Kind::Function if !function.parameters().is_empty() => "with parameters",
        Kind::Function => return None,
        _ => "that is no function",
    };
    Some(refuse(format!("a constructor or destructor {what} (`{}`) is not modelled", function.name())))
}

/// The constructor that refuses.
pub(crate) fn refusing(refusal: Refusal, sites: &mut Sites) -> Function {
    let site =
        sites.site(SiteInfo { place: refusal.place, function: "start-up".into(), ..SiteInfo::default() });
    Function {
        name: "start-up".to_owned(),
        code: vec![Op::Refuse(0)],
        sites: vec![site],
        texts: vec![refusal.text],
        ..Function::default()
    }
}
