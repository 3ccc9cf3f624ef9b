//! Expressions, by precedence climbing.

use super::{MAX_DEPTH, Parser, number, shortened};
use crate::error::Problem;
use crate::lexer::{Located, Token, TokenKind};
use crate::source::At;
use crate::syntax::{Binary, Expression, ExpressionKind, Logical, Unary};
use crate::types::{INT, Kind, LONG, Type};

/// What a sign between two operands does, and how tightly it binds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Binary(Binary),
    Logical(Logical),
}

fn operator(sign: &str) -> Option<(u8, Operator)> {
    use Operator::Logical as L;
    let (level, binary) = match sign {
        "||" => return Some((1, L(Logical::Or))),
        "&&" => return Some((2, L(Logical::And))),
        "|" => (3, Binary::Or),
        "^" => (4, Binary::Xor),
        "&" => (5, Binary::And),
        "==" => (6, Binary::Equal),
        "!=" => (6, Binary::NotEqual),
        "<" => (7, Binary::Less),
        "<=" => (7, Binary::LessEqual),
        ">" => (7, Binary::Greater),
        ">=" => (7, Binary::GreaterEqual),
        "<<" => (8, Binary::Shl),
        ">>" => (8, Binary::Shr),
        "+" => (9, Binary::Add),
        "-" => (9, Binary::Sub),
        "*" => (10, Binary::Mul),
        "/" => (10, Binary::Div),
        "%" => (10, Binary::Rem),
        _ => return None,
    };
    Some((level, Operator::Binary(binary)))
}

fn updating(sign: &str) -> Option<Binary> {
    let Operator::Binary(binary) = operator(sign.strip_suffix('=')?)?.1 else { return None };
    let known = ["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];
    known.contains(&sign).then_some(binary)
}

impl Parser<'_> {
    /// Any expression but one with a comma.
    pub(super) fn expression(&mut self) -> Result<Expression, Located> {
        self.nested(Parser::assignment)
    }

    fn assignment(&mut self) -> Result<Expression, Located> {
        let left = self.binary(1)?;
        let Token { at, kind: TokenKind::Sign(sign) } = self.peek() else { return Ok(left) };
        let update = updating(sign);
        if sign == "?" {
            return Err((Problem::Unsupported("`?:` is not modelled: use `if`".to_owned()), at));
        }
        if sign != "=" && update.is_none() {
            return Ok(left);
        }
        self.next += 1;
        let right = self.nested(Parser::assignment)?;
        let depth = left.depth.max(right.depth);
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = match update {
            Some(binary) => ExpressionKind::Update(binary, left, right),
            None => ExpressionKind::Assign(left, right),
        };
        deeper(at, depth, kind)
    }

    /// Operators that bind at least as tightly as `level`.
    fn binary(&mut self, level: u8) -> Result<Expression, Located> {
        let mut left = self.unary()?;
        while let Token { at, kind: TokenKind::Sign(sign) } = self.peek()
            && let Some((found, operator)) = operator(sign)
            && found >= level
        {
            self.next += 1;
            let right = self.nested(|parser| parser.binary(found + 1))?;
            let depth = left.depth.max(right.depth);
            let (a, b) = (Box::new(left), Box::new(right));
            let kind = match operator {
                Operator::Binary(binary) => ExpressionKind::Binary(binary, a, b),
                Operator::Logical(logical) => ExpressionKind::Logical(logical, a, b),
            };
            left = deeper(at, depth, kind)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, Located> {
        let Token { at, kind: TokenKind::Sign(sign) } = self.peek() else { return self.postfix() };
        let unary = match sign {
            "+" => Unary::Plus,
            "-" => Unary::Minus,
            "~" => Unary::Complement,
            "!" => Unary::Not,
            "*" | "++" | "--" | "&" => return self.pointer_or_step(sign, at),
            "(" if self.is_cast() => return self.cast(at),
            _ => return self.postfix(),
        };
        self.next += 1;
        let operand = self.nested(Parser::unary)?;
        deeper(at, operand.depth, ExpressionKind::Unary(unary, Box::new(operand)))
    }

    fn pointer_or_step(&mut self, sign: &str, at: At) -> Result<Expression, Located> {
        self.next += 1;
        if sign == "&" {
            let (name, _) = self.expect_name("the name of a register")?;
            return deeper(at, 0, ExpressionKind::AddressOf(name.to_owned()));
        }
        let operand = self.nested(Parser::unary)?;
        let depth = operand.depth;
        let operand = Box::new(operand);
        let kind = match sign {
            "*" => ExpressionKind::Deref(operand),
            "++" => ExpressionKind::Update(Binary::Add, operand, Box::new(one(at))),
            _ => ExpressionKind::Update(Binary::Sub, operand, Box::new(one(at))),
        };
        deeper(at, depth, kind)
    }

    /// Whether the next parenthesis is that of a cast.
    fn is_cast(&self) -> bool {
        let after = Parser { tokens: self.tokens, next: self.next + 1, depth: self.depth };
        after.is_type()
    }

    fn cast(&mut self, at: At) -> Result<Expression, Located> {
        self.expect("(")?;
        let to = self.declared()?;
        self.expect(")")?;
        let operand = self.nested(Parser::unary)?;
        deeper(at, operand.depth, ExpressionKind::Cast(to, Box::new(operand)))
    }

    fn postfix(&mut self) -> Result<Expression, Located> {
        let mut operand = self.primary()?;
        loop {
            let at = self.at();
            let binary = match self.peek().kind {
                TokenKind::Sign("++") => Binary::Add,
                TokenKind::Sign("--") => Binary::Sub,
                TokenKind::Sign("[" | "." | "->") => {
                    let what = "arrays and structs are not modelled".to_owned();
                    return Err((Problem::Unsupported(what), at));
                }
                _ => return Ok(operand),
            };
            self.next += 1;
            let depth = operand.depth;
            operand =
                deeper(at, depth, ExpressionKind::PostUpdate(binary, Box::new(operand), Box::new(one(at))))?;
        }
    }

    fn primary(&mut self) -> Result<Expression, Located> {
        let Token { at, kind } = self.peek();
        match kind {
            TokenKind::Number(text) => {
                self.next += 1;
                let kind = literal(text).ok_or_else(|| (Problem::Number(shortened(text)), at))?;
                deeper(at, 0, kind)
            }
            TokenKind::Name(name) => {
                self.next += 1;
                if self.is_sign("(") {
                    return self.call(name, at);
                }
                deeper(at, 0, constant(name).unwrap_or_else(|| ExpressionKind::Name(name.to_owned())))
            }
            TokenKind::Sign("(") => {
                self.next += 1;
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            TokenKind::Sign(_) | TokenKind::End => Err(self.unexpected("an expression")),
        }
    }

    fn call(&mut self, name: &str, at: At) -> Result<Expression, Located> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.is_sign(")") {
            arguments.push(self.expression()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        let depth = arguments.iter().map(|argument| argument.depth).max().unwrap_or(0);
        deeper(at, depth, ExpressionKind::Call(name.to_owned(), arguments))
    }
}

/// A node above subtrees of this depth. Chains of operators grow without recursion, so it is checked here.
fn deeper(at: At, depth: u16, kind: ExpressionKind) -> Result<Expression, Located> {
    if depth >= MAX_DEPTH {
        return Err((Problem::TooDeep(MAX_DEPTH), at));
    }
    Ok(Expression { at, depth: depth + 1, kind })
}

fn one(at: At) -> Expression {
    Expression { at, depth: 1, kind: ExpressionKind::Number(1, INT) }
}

/// Names that are constants everywhere.
fn constant(name: &str) -> Option<ExpressionKind> {
    match name {
        "true" => Some(ExpressionKind::Number(1, INT)),
        "false" | "NULL" => Some(ExpressionKind::Number(0, INT)),
        _ => None,
    }
}

/// An integer constant has the first of these types that holds it (C11 6.4.4.1).
fn literal(text: &str) -> Option<ExpressionKind> {
    let value = number(text)?;
    let suffix = text.trim_start_matches(|c: char| c.is_ascii_hexdigit() || "xX".contains(c));
    let unsigned = suffix.contains(['u', 'U']);
    let long = suffix.contains(['l', 'L']);
    let decimal = !text.starts_with('0');
    let fits = |found: &Type| {
        let Kind::Int { bits, signed } = found.kind else { return false };
        (signed != unsigned || (!signed && !decimal))
            && (!long || bits == 64)
            && value.leading_zeros() >= 64 - u32::from(bits) + u32::from(signed)
    };
    let candidates = [INT, Type::int(32, false), LONG, Type::int(64, false)];
    Some(ExpressionKind::Number(value, candidates.into_iter().find(fits)?))
}
