//! From text to a syntax tree: herd's C litmus format.
//!
//! ```text
//! C MP                                     the language and the name
//! "message passing"                        a title, comments, `Key=value` lines: skipped
//! { x = 0; atomic_int y = 0; 0:r0 = 5; }   the initial state
//! P0(atomic_int* x, atomic_int* y) { … }   processes, in order
//! locations [x; 1:r0;]                     what to show besides the condition
//! filter (1:r0 = 1)                        which final states count
//! exists (1:r0=1 /\ 1:r1=0)                or `~exists`, `forall`; without one, `forall (true)`
//! ```
//!
//! Where herd's grammar is loose (types, casts, undeclared registers) we are as strict as C, and where it is narrow
//! (loops, operators, declarations) we take C. Precedence in conditions is herd's: `=>` binds tighter than `/\`, which
//! binds tighter than `\/`.
//!
//! Recursion is bounded by [`MAX_DEPTH`], whatever the text.

mod condition;
mod declared;
mod expression;
mod header;
mod init;
mod process;
mod statement;

use crate::error::Problem;
use crate::lexer::{Located, Token, TokenKind, tokens};
use crate::source::At;
use crate::syntax::Syntax;

/// How deep statements, expressions and conditions may nest.
pub(crate) const MAX_DEPTH: u16 = 100;

/// Parses a whole test.
pub(crate) fn parse(text: &str) -> Result<Syntax, Located> {
    let header = header::header(text)?;
    let tokens = tokens(text, header.end)?;
    let mut parser = Parser { tokens: &tokens, next: 0, depth: 0 };
    let init = parser.init()?;
    let processes = parser.processes()?;
    let locations = parser.locations()?;
    let filter = parser.filter()?;
    let condition = parser.condition()?;
    parser.expect_end()?;
    Ok(Syntax { name: header.name, init, processes, locations, filter, condition })
}

/// The tokens and how far we are.
#[derive(Debug)]
struct Parser<'a> {
    tokens: &'a [Token<'a>],
    next: usize,
    depth: u16,
}

impl<'a> Parser<'a> {
    /// The next token; `End` again and again when there are no more.
    fn peek(&self) -> Token<'a> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Token<'a> {
        self.tokens[(self.next + ahead).min(self.tokens.len() - 1)]
    }

    fn at(&self) -> At {
        self.peek().at
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Sign(next) if next == sign)
    }

    fn is_name(&self, name: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Name(next) if next == name)
    }

    /// Takes the sign if it is next.
    fn eat(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.next += usize::from(found);
        found
    }

    /// Takes the word if it is next.
    fn eat_name(&mut self, name: &str) -> bool {
        let found = self.is_name(name);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<At, Located> {
        let at = self.at();
        if self.eat(sign) { Ok(at) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn expect_name(&mut self, what: &str) -> Result<(&'a str, At), Located> {
        match self.peek() {
            Token { at, kind: TokenKind::Name(name) } => {
                self.next += 1;
                Ok((name, at))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn expect_end(&mut self) -> Result<(), Located> {
        match self.peek().kind {
            TokenKind::End => Ok(()),
            _ => Err(self.unexpected("the end of the test")),
        }
    }

    fn unexpected(&self, expected: &str) -> Located {
        let found = match self.peek().kind {
            TokenKind::Name(text) | TokenKind::Number(text) => format!("`{}`", shortened(text)),
            TokenKind::Sign(text) => format!("`{text}`"),
            TokenKind::End => "the end of the file".to_owned(),
        };
        (Problem::Expected { expected: expected.to_owned(), found }, self.at())
    }

    /// One level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Located>) -> Result<T, Located> {
        if self.depth >= MAX_DEPTH {
            return Err((Problem::TooDeep(MAX_DEPTH), self.at()));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }
}

/// Noise can be one long word: enough of it to recognise it by.
pub(crate) fn shortened(text: &str) -> String {
    if text.len() <= 40 { text.to_owned() } else { format!("{}…", &text[..40]) }
}

/// A number of C: decimal, hexadecimal or octal, without its suffixes.
fn number(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8).ok(),
        None => digits.parse().ok(),
    }
}

impl Parser<'_> {
    /// A number with an optional sign, in the initial state or in a condition.
    fn signed_number(&mut self) -> Result<i128, Located> {
        let minus = self.eat("-");
        let token = self.peek();
        let TokenKind::Number(text) = token.kind else { return Err(self.unexpected("a number")) };
        let value = number(text).ok_or_else(|| (Problem::Number(shortened(text)), token.at))?;
        self.next += 1;
        Ok(if minus { -i128::from(value) } else { i128::from(value) })
    }
}

#[cfg(test)]
mod tests;
