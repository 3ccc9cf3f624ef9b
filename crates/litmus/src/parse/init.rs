//! The initial state: `{ x = 0; int y = 1; int *p = &x; [z] = 2; 0:r1 = 3; }`.

use super::{Parser, shortened};
use crate::error::Problem;
use crate::lexer::{Located, TokenKind, process_number};
use crate::syntax::{Init, InitValue, Target};

impl Parser<'_> {
    pub(super) fn init(&mut self) -> Result<Vec<Init>, Located> {
        self.expect("{")?;
        let mut init = Vec::new();
        while !self.is_sign("}") {
            if self.eat(";") {
                continue;
            }
            init.push(self.init_element()?);
            if !self.is_sign("}") && !self.is_sign(";") {
                return Err(self.unexpected("`;` or `}`"));
            }
        }
        self.expect("}")?;
        Ok(init)
    }

    fn init_element(&mut self) -> Result<Init, Located> {
        let declared = if self.is_type() { Some(self.declared()?) } else { None };
        let target = self.target()?;
        if matches!(self.peek().kind, TokenKind::Name(_)) {
            return Err((Problem::UnknownType(shortened(&target.name)), target.at));
        }
        if self.is_sign("[") {
            return Err((Problem::Unsupported("arrays are not modelled".to_owned()), self.at()));
        }
        let value_at = if self.is_sign("=") { self.peek_at(1).at } else { target.at };
        let value = if self.eat("=") { self.init_value()? } else { InitValue::Number(0) };
        Ok(Init { target, declared, value, value_at })
    }

    fn init_value(&mut self) -> Result<InitValue, Located> {
        if self.eat_name("ATOMIC_INIT") || self.eat_name("ATOMIC_VAR_INIT") {
            self.expect("(")?;
            let value = InitValue::Number(self.signed_number()?);
            self.expect(")")?;
            return Ok(value);
        }
        let ampersand = self.eat("&");
        match self.peek().kind {
            TokenKind::Name("NULL") if !ampersand => {
                self.next += 1;
                Ok(InitValue::Number(0))
            }
            TokenKind::Name(name) => {
                self.next += 1;
                Ok(InitValue::Address(name.to_owned()))
            }
            _ if ampersand => Err(self.unexpected("the name of a location")),
            _ => Ok(InitValue::Number(self.signed_number()?)),
        }
    }

    /// `x`, `[x]`, `0:r0` or `P0:r0`.
    pub(super) fn target(&mut self) -> Result<Target, Located> {
        let token = self.peek();
        if self.eat("[") {
            let (name, at) = self.expect_name("the name of a location")?;
            self.expect("]")?;
            return Ok(Target { at, name: name.to_owned(), thread: None });
        }
        let thread = match token.kind {
            TokenKind::Number(text) => {
                Some(text.parse().map_err(|_| (Problem::Number(shortened(text)), token.at))?)
            }
            TokenKind::Name(name) if matches!(self.peek_at(1).kind, TokenKind::Sign(":")) => {
                process_number(name)
            }
            _ => None,
        };
        if thread.is_some() {
            self.next += 1;
            self.expect(":")?;
        }
        let what = if thread.is_some() { "the name of a register" } else { "a location or a register" };
        let (name, _) = self.expect_name(what)?;
        Ok(Target { at: token.at, name: name.to_owned(), thread })
    }
}
