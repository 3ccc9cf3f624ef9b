//! The code of one process while it is made.

use super::assembler::{Assembler, Label};
use super::locals::{Census, Local, Locals};
use super::locations::Locations;
use crate::error::Problem;
use crate::lexer::Located;
use crate::source::{At, Source};
use crate::state::Value;
use crate::syntax::{Init, InitValue, Process, Syntax};
use crate::types::{INT, Type};
use std::collections::BTreeMap;
use vm::bytecode::{Function, Op, Operand, SiteInfo};

/// Where a `break` and a `continue` go.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopLabels {
    pub(super) end: Label,
    pub(super) next: Label,
}

#[derive(Debug)]
pub(super) struct Body<'a> {
    pub(super) thread: usize,
    pub(super) asm: Assembler<'a>,
    pub(super) locals: Locals,
    pub(super) loops: Vec<LoopLabels>,
    /// Where a `return` goes.
    pub(super) end: Label,
    /// Where orders are read otherwise than written.
    pub(super) consumes: Vec<At>,
    source: &'a Source<'a>,
}

/// The registers that a process returns: what each is called, and its type, in the order in which they are returned.
pub(super) type Returned = BTreeMap<String, (usize, Type)>;

impl<'a> Body<'a> {
    /// The process up to its first statement.
    pub(super) fn new(
        thread: usize,
        process: &Process,
        syntax: &Syntax,
        locations: &Locations,
        sites: &'a mut Vec<SiteInfo>,
        source: &'a Source<'a>,
    ) -> Result<Body<'a>, Located> {
        let census = Census::of(&process.body);
        if let Some(at) = census.void() {
            return Err((Problem::Unsupported("a register has no type `void`".to_owned()), at));
        }
        let init: Vec<&Init> =
            syntax.init.iter().filter(|init| init.target.thread == Some(thread as u64)).collect();
        let kept = census.declarations.len() + census.loops + init.len();
        let mut asm = Assembler::new(&format!("P{thread}"), kept, sites, source, process.at)?;
        let end = asm.label();
        let locals = Locals::default();
        let mut body = Body { thread, asm, locals, loops: Vec::new(), end, consumes: Vec::new(), source };
        for parameter in &process.parameters {
            let location = locations.get(&parameter.name).expect("every parameter has a location");
            let address = body.asm.address(location.global)?;
            let declared = body.locals.parameter(&parameter.name, &parameter.declared, address);
            declared.map_err(|problem| (problem, parameter.at))?;
        }
        for init in init {
            body.initial_register(init, &census, locations)?;
        }
        Ok(body)
    }

    /// `0:r1 = 3`
    fn initial_register(
        &mut self,
        init: &Init,
        census: &Census<'_>,
        locations: &Locations,
    ) -> Result<(), Located> {
        let (name, at) = (&init.target.name, init.target.at);
        if let Some(Local { place: Operand::Const(_), .. }) = self.locals.any(name) {
            return match &init.value {
                InitValue::Address(to) if to == name => Ok(()),
                _ => Err((Problem::ParameterInit { thread: self.thread, name: name.clone() }, init.value_at)),
            };
        }
        if self.locals.any(name).is_some() {
            return Err((Problem::Twice(name.clone()), at));
        }
        let guessed = match &init.value {
            InitValue::Number(_) => INT,
            InitValue::Address(_) => INT.pointer(),
        };
        let later = census.declared(name);
        let declared = later.cloned().or_else(|| init.declared.clone()).unwrap_or(guessed);
        let a = self.initial_value(init, &declared, locations)?;
        let dst = self.locals.initial(name, &declared, later.is_some());
        self.asm.emit(Op::Move { dst, a });
        Ok(())
    }

    fn initial_value(
        &mut self,
        init: &Init,
        declared: &Type,
        locations: &Locations,
    ) -> Result<Operand, Located> {
        let mismatch = |from: String| (Problem::Mismatch { from, to: declared.to_string() }, init.value_at);
        match &init.value {
            InitValue::Number(number) if declared.is_pointer() && *number != 0 => {
                Err(mismatch(number.to_string()))
            }
            InitValue::Number(number) => {
                let wrapped = Value::wrapped(*number, &Type::int(declared.bits().max(8), false));
                self.asm.number(wrapped as u64)
            }
            InitValue::Address(to) if !declared.is_pointer() => Err(mismatch(format!("&{to}"))),
            InitValue::Address(to) => {
                let unknown = || (Problem::UnknownLocation(to.clone()), init.value_at);
                let location = locations.get(to).ok_or_else(unknown)?;
                self.asm.address(location.global)
            }
        }
    }

    /// What a name means here.
    pub(super) fn local(&self, name: &str, at: At) -> Result<Local, Located> {
        let unknown = || Problem::Undeclared { name: name.to_owned(), thread: self.thread };
        self.locals.visible(name).cloned().ok_or_else(|| (unknown(), at))
    }

    /// The end of the process: it returns what these registers hold.
    pub(super) fn finish(
        mut self,
        asked: &[(String, At)],
        warnings: &mut Vec<String>,
    ) -> Result<(Function, Returned), Located> {
        let mut returned = Returned::new();
        let mut values = Vec::new();
        for (name, at) in asked {
            let unknown = || Problem::UnknownRegister { thread: self.thread, name: name.clone() };
            let local = self.locals.any(name).ok_or_else(|| (unknown(), *at))?;
            if !returned.contains_key(name) {
                returned.insert(name.clone(), (values.len(), local.declared.clone()));
                values.push(local.place);
            }
        }
        self.asm.place(self.end);
        let values = self.asm.list(&values);
        self.asm.emit(Op::Return { values });
        for &at in &self.consumes {
            let place = self.source.place(at);
            warnings.push(format!("{place}: warning: memory_order_consume is read as memory_order_acquire"));
        }
        Ok((self.asm.finish(), returned))
    }
}
