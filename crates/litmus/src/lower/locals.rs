//! The registers of a process: its parameters, its declarations, and the registers of the initial state.
//!
//! A name means one register in the whole process: the condition asks for it by name. Declaring it again where it is
//! visible is an error; declaring it again in another block (both branches of an `if`) means the same register.

use crate::error::Problem;
use crate::source::At;
use crate::syntax::{Declaration, Statement, StatementKind};
use crate::types::Type;
use std::collections::BTreeMap;
use vm::bytecode::{Operand, Reg};

/// What a name means.
#[derive(Clone, Debug)]
pub(super) struct Local {
    /// A register, or for a parameter the address that it is.
    pub(super) place: Operand,
    pub(super) declared: Type,
    visible: bool,
}

#[derive(Debug, Default)]
pub(super) struct Locals {
    by_name: BTreeMap<String, Local>,
    /// The names that were declared in each block that is open.
    blocks: Vec<Vec<String>>,
    registers: u16,
}

impl Locals {
    /// A register of its own, for something without a name.
    pub(super) fn register(&mut self) -> Reg {
        self.registers += 1;
        Reg(self.registers - 1)
    }

    pub(super) fn parameter(&mut self, name: &str, declared: &Type, address: Operand) -> Result<(), Problem> {
        let local = Local { place: address, declared: declared.clone(), visible: true };
        match self.by_name.insert(name.to_owned(), local) {
            Some(_) => Err(Problem::Twice(name.to_owned())),
            None => Ok(()),
        }
    }

    /// A register of the initial state: visible at once, unless the process declares it later.
    pub(super) fn initial(&mut self, name: &str, declared: &Type, declared_later: bool) -> Reg {
        let register = self.register();
        let place = Operand::Reg(register);
        let local = Local { place, declared: declared.clone(), visible: !declared_later };
        self.by_name.insert(name.to_owned(), local);
        register
    }

    pub(super) fn declare(&mut self, name: &str, declared: &Type) -> Result<Reg, Problem> {
        if let Some(block) = self.blocks.last_mut() {
            block.push(name.to_owned());
        }
        match self.by_name.get_mut(name) {
            Some(Local { visible: true, .. }) => Err(Problem::Twice(name.to_owned())),
            Some(local) if local.declared != *declared => {
                let (before, now) = (local.declared.to_string(), declared.to_string());
                Err(Problem::OtherType { name: name.to_owned(), before, now })
            }
            Some(local) => {
                local.visible = true;
                match local.place {
                    Operand::Reg(register) => Ok(register),
                    Operand::Const(_) => unreachable!("a parameter is always visible"),
                }
            }
            None => Ok(self.initial(name, declared, false)),
        }
    }

    pub(super) fn enter(&mut self) {
        self.blocks.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        for name in self.blocks.pop().unwrap_or_default() {
            if let Some(local) = self.by_name.get_mut(&name) {
                local.visible = false;
            }
        }
    }

    /// What a name means here.
    pub(super) fn visible(&self, name: &str) -> Option<&Local> {
        self.by_name.get(name).filter(|local| local.visible)
    }

    /// What a name means in the end.
    pub(super) fn any(&self, name: &str) -> Option<&Local> {
        self.by_name.get(name)
    }
}

/// Declarations and loops in some statements: a loop has a register, too, for its counter.
#[derive(Debug, Default)]
pub(super) struct Census<'a> {
    pub(super) declarations: Vec<&'a Declaration>,
    pub(super) loops: usize,
}

impl<'a> Census<'a> {
    pub(super) fn of(statements: &'a [Statement]) -> Census<'a> {
        let mut census = Census::default();
        statements.iter().for_each(|statement| census.count(statement));
        census
    }

    fn count(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Block(inner) => inner.iter().for_each(|statement| self.count(statement)),
            StatementKind::Declare(declarations) => self.declarations.extend(declarations),
            StatementKind::If { then, otherwise, .. } => {
                self.count(then);
                otherwise.iter().for_each(|statement| self.count(statement));
            }
            StatementKind::While { body, .. } | StatementKind::DoWhile { body, .. } => {
                self.loops += 1;
                self.count(body);
            }
            StatementKind::For(parts) => {
                self.loops += 1;
                parts.first.iter().for_each(|statement| self.count(statement));
                self.count(&parts.body);
            }
            StatementKind::Expression(_)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Return => {}
        }
    }

    /// The type that a name is declared with first.
    pub(super) fn declared(&self, name: &str) -> Option<&'a Type> {
        self.declarations.iter().find(|declaration| declaration.name == name).map(|found| &found.declared)
    }

    /// A place where a register of type `void` is declared.
    pub(super) fn void(&self) -> Option<At> {
        self.declarations.iter().find(|found| found.declared.size() == 0).map(|found| found.at)
    }
}
