//! One function of bytecode while it is made: labels, constants, registers and sites.
//!
//! The registers of the test come first and keep their numbers: their values are asked for in the end. Scratch registers
//! come after them and are free again after each statement, so that a thread's state stays small.

use crate::error::Problem;
use crate::lexer::Located;
use crate::source::{At, Source};
use base::Site;
use std::collections::BTreeMap;
use std::sync::Arc;
use vm::bytecode::{Constant, Function, FunctionId, GlobalId, List, Op, Operand, Reg, SiteInfo};

/// A register's number has 16 bits; half of them are more than any test has.
const MAX_REGISTERS: u16 = 1 << 15;

/// A place to jump to. Until the end, jump targets are numbers of labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label(u32);

#[derive(Debug)]
pub(super) struct Assembler<'a> {
    function: Function,
    /// Where each label is.
    labels: Vec<u32>,
    constants: BTreeMap<(u8, u64), u16>,
    /// The first scratch register.
    scratch: u16,
    next: u16,
    /// The sites of all functions, shared.
    sites: &'a mut Vec<SiteInfo>,
    source: &'a Source<'a>,
    name: Arc<str>,
    site: Site,
    at: At,
}

impl<'a> Assembler<'a> {
    /// A function whose first `kept` registers are not scratch.
    pub(super) fn new(
        name: &str,
        kept: usize,
        sites: &'a mut Vec<SiteInfo>,
        source: &'a Source<'a>,
        at: At,
    ) -> Result<Assembler<'a>, Located> {
        let scratch = u16::try_from(kept)
            .ok()
            .filter(|&kept| kept < MAX_REGISTERS / 2)
            .ok_or((Problem::TooMany { what: "registers", limit: usize::from(MAX_REGISTERS / 2) }, at))?;
        let function = Function { name: name.to_owned(), registers: scratch, ..Function::default() };
        let mut assembler = Assembler {
            function,
            labels: Vec::new(),
            constants: BTreeMap::new(),
            scratch,
            next: scratch,
            sites,
            source,
            name: name.into(),
            site: Site::default(),
            at,
        };
        assembler.site(at, "");
        Ok(assembler)
    }

    /// What follows comes from there, and accesses `operand`.
    pub(super) fn site(&mut self, at: At, operand: &str) {
        self.at = at;
        self.site = Site(self.sites.len() as u32);
        let place = Some(self.source.place(at));
        let function = Arc::clone(&self.name);
        self.sites.push(SiteInfo { place, function, operand: operand.into(), ..SiteInfo::default() });
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.function.code.push(op);
        self.function.sites.push(self.site);
    }

    /// A scratch register.
    pub(super) fn register(&mut self) -> Result<Reg, Located> {
        if self.next >= MAX_REGISTERS {
            return Err((Problem::TooMany { what: "registers", limit: usize::from(MAX_REGISTERS) }, self.at));
        }
        let register = Reg(self.next);
        self.next += 1;
        self.function.registers = self.function.registers.max(self.next);
        Ok(register)
    }

    /// Nobody needs the scratch registers any more.
    pub(super) fn release(&mut self) {
        self.next = self.scratch;
    }

    /// An instruction with a result.
    pub(super) fn result(&mut self, op: impl FnOnce(Reg) -> Op) -> Result<Operand, Located> {
        let register = self.register()?;
        self.emit(op(register));
        Ok(Operand::Reg(register))
    }

    pub(super) fn number(&mut self, value: u64) -> Result<Operand, Located> {
        self.constant(Constant::Value(value), (0, value))
    }

    pub(super) fn address(&mut self, GlobalId(global): GlobalId) -> Result<Operand, Located> {
        self.constant(Constant::Global(GlobalId(global), 0), (1, u64::from(global)))
    }

    pub(super) fn code_address(&mut self, FunctionId(function): FunctionId) -> Result<Operand, Located> {
        self.constant(Constant::Function(FunctionId(function)), (2, u64::from(function)))
    }

    fn constant(&mut self, constant: Constant, key: (u8, u64)) -> Result<Operand, Located> {
        if let Some(&known) = self.constants.get(&key) {
            return Ok(Operand::Const(known));
        }
        let limit = usize::from(u16::MAX);
        let too_many = (Problem::TooMany { what: "constants", limit }, self.at);
        let index = u16::try_from(self.function.constants.len()).map_err(|_| too_many)?;
        self.function.constants.push(constant);
        self.constants.insert(key, index);
        Ok(Operand::Const(index))
    }

    /// The number that an operand is known to be.
    pub(super) fn known(&self, operand: Operand) -> Option<u64> {
        let Operand::Const(index) = operand else { return None };
        match self.function.constants[usize::from(index)] {
            Constant::Value(value) => Some(value),
            Constant::Global(..) | Constant::Function(_) | Constant::External(_) => None,
        }
    }

    pub(super) fn list(&mut self, operands: &[Operand]) -> List {
        let first = self.function.operands.len() as u32;
        self.function.operands.extend_from_slice(operands);
        List { first, len: operands.len() as u16 }
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(u32::MAX);
        Label(self.labels.len() as u32 - 1)
    }

    /// The label is here.
    pub(super) fn place(&mut self, Label(label): Label) {
        self.labels[label as usize] = self.function.code.len() as u32;
    }

    pub(super) fn jump(&mut self, Label(label): Label) {
        self.emit(Op::Jump(label));
    }

    pub(super) fn branch(&mut self, condition: Operand, Label(then): Label, Label(otherwise): Label) {
        self.emit(Op::Branch { condition, then, otherwise });
    }

    /// The function, with its jumps resolved.
    pub(super) fn finish(mut self) -> Function {
        for op in &mut self.function.code {
            match op {
                Op::Jump(target) => *target = self.labels[*target as usize],
                Op::Branch { then, otherwise, .. } => {
                    *then = self.labels[*then as usize];
                    *otherwise = self.labels[*otherwise as usize];
                }
                _ => {}
            }
        }
        self.function
    }
}
