//! Processes: `P0(atomic_int* x, volatile int* y) { … }`.

use super::{Parser, shortened};
use crate::error::Problem;
use crate::lexer::{Located, TokenKind, process_number};
use crate::syntax::{Parameter, Process};
use crate::types::Kind;

/// More than any test has; each is a thread.
const MAX_PROCESSES: usize = 64;

impl Parser<'_> {
    /// All of them, which must be P0, P1, … in this order.
    pub(super) fn processes(&mut self) -> Result<Vec<Process>, Located> {
        let mut processes: Vec<Process> = Vec::new();
        while self.is_process() {
            let process = self.process(processes.len())?;
            if processes.len() == MAX_PROCESSES {
                return Err((Problem::TooMany { what: "processes", limit: MAX_PROCESSES }, process.at));
            }
            processes.push(process);
        }
        if processes.is_empty() {
            return Err((Problem::NoProcess, self.at()));
        }
        Ok(processes)
    }

    fn is_process(&self) -> bool {
        match self.peek().kind {
            TokenKind::Name(name) => name == "void" || process_number(name).is_some(),
            TokenKind::Number(_) | TokenKind::Sign(_) | TokenKind::End => false,
        }
    }

    fn process(&mut self, expected: usize) -> Result<Process, Located> {
        if self.eat_name("void") {
            self.eat("*");
        }
        let (name, at) = self.expect_name("a process `P0`, `P1`, …")?;
        let number = process_number(name).ok_or_else(|| {
            (
                Problem::Expected {
                    expected: "a process".to_owned(),
                    found: format!("`{}`", shortened(name)),
                },
                at,
            )
        })?;
        match usize::try_from(number) {
            Ok(number) if number == expected => {}
            Ok(number) if number < expected => return Err((Problem::DuplicateProcess(number as u64), at)),
            _ => return Err((Problem::ProcessOrder { expected, found: number }, at)),
        }
        let parameters = self.parameters()?;
        let body = self.block()?;
        Ok(Process { at, parameters, body })
    }

    fn parameters(&mut self) -> Result<Vec<Parameter>, Located> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        let none = self.is_name("void") && matches!(self.peek_at(1).kind, crate::lexer::TokenKind::Sign(")"));
        self.next += usize::from(none);
        while !self.is_sign(")") {
            parameters.push(self.parameter()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(parameters)
    }

    fn parameter(&mut self) -> Result<Parameter, Located> {
        let start = self.at();
        let declared = self.declared()?;
        let (name, at) = self.expect_name("the name of a parameter")?;
        match declared.pointee().map(|to| &to.kind) {
            Some(Kind::Void) | None => Err((Problem::Parameter(declared.to_string()), start)),
            Some(_) => Ok(Parameter { at, name: name.to_owned(), declared }),
        }
    }
}
