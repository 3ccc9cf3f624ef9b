//! From the syntax tree to bytecode: names are resolved and types checked on the way.
//!
//! One global per location, one function per process. `main` creates a thread per process, in order, and ends: process
//! `n` is thread `n + 1`. A register of the test is a register of its function; what the condition asks for is what the
//! function returns, so that no event is needed to see it. A register that was never assigned is 0, as in herd.
//!
//! What accesses mean: a function of `<stdatomic.h>` has the order it says, on any pointer; `*x` is a seq_cst access if
//! `x` points to an atomic type, as C11 says (6.5.16 and 7.17.3; herd has a plain access), and a plain one otherwise.
//! A weak compare-exchange may fail spuriously: both are explored.

mod access;
mod assembler;
mod body;
mod expression;
mod locals;
mod locations;
mod questions;
mod statement;

use crate::condition::{Condition, Proposition};
use crate::lexer::Located;
use crate::source::Source;
use crate::state::Variable;
use crate::syntax::{InitValue, Process, Syntax};
use crate::types::Type;
use assembler::Assembler;
use body::Body;
use locations::Locations;
use questions::Questions;
use vm::Builtin;
use vm::bytecode::{Function, FunctionId, GlobalId, Module, Op, SiteInfo};

/// A test, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    pub(crate) module: Module,
    /// What the condition, the filter and `locations` are about, sorted.
    pub(crate) observed: Vec<Observed>,
    /// Which of them are shown.
    pub(crate) shown: Vec<usize>,
    pub(crate) filter: Option<Proposition<Variable>>,
    pub(crate) condition: Condition<Variable>,
    /// Things that are read otherwise than written, with their places.
    pub(crate) warnings: Vec<String>,
}

/// A variable and how its final value is found.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    pub(crate) variable: Variable,
    pub(crate) declared: Type,
    pub(crate) source: ValueSource,
}

#[derive(Clone, Debug)]
pub(crate) enum ValueSource {
    /// The process's function returns it, at this position.
    Returned { thread: usize, index: usize },
    /// It is in memory; this was there before.
    Memory { global: GlobalId, init: InitValue },
}

/// Lowers a test.
pub(crate) fn lower(syntax: &Syntax, source: &Source<'_>) -> Result<Lowered, Located> {
    let locations = Locations::collect(syntax)?;
    let questions = Questions::collect(syntax);
    let (mut sites, mut warnings) = (Vec::new(), Vec::new());
    let mut functions = vec![Function::default()];
    let mut registers = Vec::new();
    for (thread, process) in syntax.processes.iter().enumerate() {
        let mut body = Body::new(thread, process, syntax, &locations, &mut sites, source)?;
        body.statements(&process.body)?;
        let (function, returned) = body.finish(questions.registers(thread), &mut warnings)?;
        functions.push(function);
        registers.push(returned);
    }
    functions[0] = main(&syntax.processes, &mut sites, source)?;
    let questions = questions.resolve(syntax, &locations, &registers)?;
    let globals = locations.globals(source);
    let module = Module { functions, globals, main: Some(FunctionId(0)), sites, ..Module::default() };
    Ok(Lowered { module, warnings, ..questions })
}

/// `main`: creates the threads. The handles go to a local variable of its own, so they make no events.
fn main(processes: &[Process], sites: &mut Vec<SiteInfo>, source: &Source<'_>) -> Result<Function, Located> {
    let at = processes[0].at;
    let mut asm = Assembler::new("main", 1, sites, source, at)?;
    let (zero, one) = (asm.number(0)?, asm.number(1)?);
    let handle = vm::bytecode::Reg(0);
    asm.emit(Op::Alloca { dst: handle, size: 8, align: 8, count: one });
    for (index, process) in processes.iter().enumerate() {
        asm.site(process.at, "");
        let code = asm.code_address(FunctionId(index as u32 + 1))?;
        let arguments = asm.list(&[vm::bytecode::Operand::Reg(handle), zero, code, zero]);
        asm.emit(Op::Builtin { builtin: Builtin::PthreadCreate, arguments, result: None });
    }
    let values = asm.list(&[]);
    asm.emit(Op::Return { values });
    Ok(asm.finish())
}
