//! Statements.

use super::Parser;
use crate::error::Problem;
use crate::lexer::{Located, TokenKind};
use crate::source::At;
use crate::syntax::{Declaration, Expression, For, Statement, StatementKind};

impl Parser<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self) -> Result<Vec<Statement>, Located> {
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.eat("}") {
            if !self.eat(";") {
                statements.push(self.nested(Parser::statement)?);
            }
        }
        Ok(statements)
    }

    fn statement(&mut self) -> Result<Statement, Located> {
        let at = self.at();
        let kind = match self.peek().kind {
            TokenKind::Sign("{") => StatementKind::Block(self.block()?),
            TokenKind::Sign(";") => self.empty(),
            TokenKind::Name("if") => self.if_statement()?,
            TokenKind::Name("while") => self.while_statement()?,
            TokenKind::Name("do") => self.do_statement()?,
            TokenKind::Name("for") => self.for_statement()?,
            TokenKind::Name("break") => self.word(StatementKind::Break)?,
            TokenKind::Name("continue") => self.word(StatementKind::Continue)?,
            TokenKind::Name("return") => self.word(StatementKind::Return)?,
            TokenKind::Name(
                name @ ("switch" | "goto" | "asm" | "__asm__" | "struct" | "union" | "enum" | "typedef"
                | "static" | "float" | "double"),
            ) => {
                return Err((Problem::Unsupported(format!("`{name}` is not modelled")), at));
            }
            _ if self.is_type() => self.declaration()?,
            _ => self.expression_statement()?,
        };
        Ok(Statement { at, kind })
    }

    fn empty(&mut self) -> StatementKind {
        self.next += 1;
        StatementKind::Block(Vec::new())
    }

    /// A statement of one word.
    fn word(&mut self, kind: StatementKind) -> Result<StatementKind, Located> {
        self.next += 1;
        self.expect(";")?;
        Ok(kind)
    }

    fn expression_statement(&mut self) -> Result<StatementKind, Located> {
        let expression = self.expression()?;
        self.expect(";")?;
        Ok(StatementKind::Expression(expression))
    }

    /// `int r0 = 1, *p;`
    fn declaration(&mut self) -> Result<StatementKind, Located> {
        let base = self.base()?;
        let mut declarations = Vec::new();
        loop {
            let declared = self.stars(base.clone())?;
            let (name, at) = self.expect_name("the name of a register")?;
            if self.is_sign("[") {
                return Err((Problem::Unsupported("arrays are not modelled".to_owned()), self.at()));
            }
            let value = if self.eat("=") { Some(self.expression()?) } else { None };
            declarations.push(Declaration { at, name: name.to_owned(), declared, value });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(StatementKind::Declare(declarations))
    }

    fn parenthesised(&mut self) -> Result<Expression, Located> {
        self.expect("(")?;
        let expression = self.expression()?;
        self.expect(")")?;
        Ok(expression)
    }

    fn nested_statement(&mut self) -> Result<Box<Statement>, Located> {
        self.nested(Parser::statement).map(Box::new)
    }

    fn if_statement(&mut self) -> Result<StatementKind, Located> {
        self.next += 1;
        let condition = self.parenthesised()?;
        let then = self.nested_statement()?;
        let otherwise = if self.eat_name("else") { Some(self.nested_statement()?) } else { None };
        Ok(StatementKind::If { condition, then, otherwise })
    }

    fn while_statement(&mut self) -> Result<StatementKind, Located> {
        self.next += 1;
        let condition = self.parenthesised()?;
        Ok(StatementKind::While { condition, body: self.nested_statement()? })
    }

    fn do_statement(&mut self) -> Result<StatementKind, Located> {
        self.next += 1;
        let body = self.nested_statement()?;
        if !self.eat_name("while") {
            return Err(self.unexpected("`while`"));
        }
        let condition = self.parenthesised()?;
        self.expect(";")?;
        Ok(StatementKind::DoWhile { body, condition })
    }

    fn for_statement(&mut self) -> Result<StatementKind, Located> {
        self.next += 1;
        self.expect("(")?;
        let at = self.at();
        let first = self.for_first(at)?;
        let condition = if self.is_sign(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let step = if self.is_sign(")") { None } else { Some(self.expression()?) };
        self.expect(")")?;
        let body = self.nested(Parser::statement)?;
        Ok(StatementKind::For(Box::new(For { first, condition, step, body })))
    }

    fn for_first(&mut self, at: At) -> Result<Option<Statement>, Located> {
        if self.eat(";") {
            return Ok(None);
        }
        let kind = if self.is_type() { self.declaration()? } else { self.expression_statement()? };
        Ok(Some(Statement { at, kind }))
    }
}
