//! Statements to bytecode.

use super::assembler::Label;
use super::body::{Body, LoopLabels};
use crate::error::Problem;
use crate::lexer::Located;
use crate::source::At;
use crate::syntax::{Declaration, Expression, For, Statement, StatementKind};
use vm::bytecode::{Op, Reg};

/// What the counter of a loop starts with where its first iteration has begun already, and where it is counted, too:
/// the bytecode counts the iterations after the first.
const THE_FIRST: u64 = 0;
const NONE_YET: u64 = u64::MAX;

impl Body<'_> {
    pub(super) fn statements(&mut self, statements: &[Statement]) -> Result<(), Located> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Located> {
        let at = statement.at;
        match &statement.kind {
            StatementKind::Block(inner) => {
                self.locals.enter();
                self.statements(inner)?;
                self.locals.leave();
            }
            StatementKind::Declare(declarations) => {
                declarations.iter().try_for_each(|declaration| self.declaration(declaration))?;
            }
            StatementKind::Expression(expression) => {
                self.expression(expression)?;
            }
            StatementKind::If { condition, then, otherwise } => {
                self.if_statement(condition, then, otherwise.as_deref())?;
            }
            StatementKind::While { condition, body } => self.while_statement(condition, body, at)?,
            StatementKind::DoWhile { body, condition } => self.do_statement(body, condition, at)?,
            StatementKind::For(parts) => self.for_statement(parts, at)?,
            StatementKind::Break => {
                let labels = self.innermost("break", at)?;
                self.asm.jump(labels.end);
            }
            StatementKind::Continue => {
                let labels = self.innermost("continue", at)?;
                self.asm.jump(labels.next);
            }
            StatementKind::Return => self.asm.jump(self.end),
        }
        self.asm.release();
        Ok(())
    }

    fn innermost(&self, word: &'static str, at: At) -> Result<LoopLabels, Located> {
        self.loops.last().copied().ok_or((Problem::OutsideLoop(word), at))
    }

    /// The value comes first: a register is not visible in its own initialiser.
    fn declaration(&mut self, declaration: &Declaration) -> Result<(), Located> {
        let Declaration { at, name, declared, value } = declaration;
        let a = match value {
            Some(value) => Some(self.converted(value, declared)?),
            None => None,
        };
        let dst = self.locals.declare(name, declared).map_err(|problem| (problem, *at))?;
        if let Some(a) = a {
            self.asm.emit(Op::Move { dst, a });
        }
        self.asm.release();
        Ok(())
    }

    /// Goes to one of the labels.
    fn test(&mut self, condition: &Expression, then: Label, otherwise: Label) -> Result<(), Located> {
        let value = self.scalar(condition)?;
        self.asm.branch(value.operand, then, otherwise);
        self.asm.release();
        Ok(())
    }

    /// A statement that is a block of its own, even without braces.
    fn inner(&mut self, statement: &Statement) -> Result<(), Located> {
        self.locals.enter();
        self.statement(statement)?;
        self.locals.leave();
        Ok(())
    }

    fn if_statement(
        &mut self,
        condition: &Expression,
        then: &Statement,
        otherwise: Option<&Statement>,
    ) -> Result<(), Located> {
        let (yes, no, end) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.test(condition, yes, no)?;
        self.asm.place(yes);
        self.inner(then)?;
        self.asm.jump(end);
        self.asm.place(no);
        if let Some(otherwise) = otherwise {
            self.inner(otherwise)?;
        }
        self.asm.place(end);
        Ok(())
    }

    /// The counter of a loop, and its labels. The body's `break` and `continue` are the loop's.
    fn begin_loop(&mut self, counter: u64) -> Result<(Reg, LoopLabels, Label), Located> {
        let dst = self.locals.register();
        let a = self.asm.number(counter)?;
        self.asm.emit(Op::Move { dst, a });
        let labels = LoopLabels { end: self.asm.label(), next: self.asm.label() };
        let top = self.asm.label();
        self.asm.place(top);
        self.loops.push(labels);
        Ok((dst, labels, top))
    }

    /// Where one more iteration is certain, it counts against `--unroll`: a loop that ends after N of them is not cut
    /// when N are allowed.
    fn count_iteration(&mut self, counter: Reg, at: At) {
        self.asm.site(at, "");
        self.asm.emit(Op::Unroll { counter });
    }

    /// The way back to the top.
    fn end_loop(&mut self, labels: LoopLabels, top: Label) {
        self.loops.pop();
        self.asm.jump(top);
        self.asm.place(labels.end);
    }

    fn while_statement(&mut self, condition: &Expression, body: &Statement, at: At) -> Result<(), Located> {
        let (counter, labels, top) = self.begin_loop(NONE_YET)?;
        let start = self.asm.label();
        self.test(condition, start, labels.end)?;
        self.asm.place(start);
        self.count_iteration(counter, at);
        self.inner(body)?;
        self.asm.place(labels.next);
        self.end_loop(labels, top);
        Ok(())
    }

    fn do_statement(&mut self, body: &Statement, condition: &Expression, at: At) -> Result<(), Located> {
        let (counter, labels, top) = self.begin_loop(THE_FIRST)?;
        self.inner(body)?;
        self.asm.place(labels.next);
        let again = self.asm.label();
        self.test(condition, again, labels.end)?;
        self.asm.place(again);
        self.count_iteration(counter, at);
        self.end_loop(labels, top);
        Ok(())
    }

    fn for_statement(&mut self, parts: &For, at: At) -> Result<(), Located> {
        self.locals.enter();
        if let Some(first) = &parts.first {
            self.statement(first)?;
        }
        let (counter, labels, top) = self.begin_loop(NONE_YET)?;
        if let Some(condition) = &parts.condition {
            let start = self.asm.label();
            self.test(condition, start, labels.end)?;
            self.asm.place(start);
        }
        self.count_iteration(counter, at);
        self.inner(&parts.body)?;
        self.asm.place(labels.next);
        if let Some(step) = &parts.step {
            self.expression(step)?;
            self.asm.release();
        }
        self.end_loop(labels, top);
        self.locals.leave();
        Ok(())
    }
}
