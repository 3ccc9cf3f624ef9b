//! What is asked about the final states: `locations`, `filter` and the condition.

use super::Parser;
use crate::condition::{Atom, Condition, Operand, Proposition, Quantifier};
use crate::error::Problem;
use crate::lexer::{Located, TokenKind};
use crate::syntax::Target;

type Parsed = Result<Proposition<Target>, Located>;

impl Parser<'_> {
    /// `locations [x; 0:r0;]`
    pub(super) fn locations(&mut self) -> Result<Vec<Target>, Located> {
        let mut locations = Vec::new();
        if !self.eat_name("locations") {
            return Ok(locations);
        }
        self.expect("[")?;
        while !self.is_sign("]") {
            locations.push(self.target()?);
            if !self.eat(";") {
                break;
            }
        }
        self.expect("]")?;
        Ok(locations)
    }

    /// `filter (…)`
    pub(super) fn filter(&mut self) -> Result<Option<Proposition<Target>>, Located> {
        if self.eat_name("filter") { self.proposition().map(Some) } else { Ok(None) }
    }

    /// `exists`, `~exists` or `forall`; a proposition alone is an `exists`, and nothing at all is `forall (true)`.
    pub(super) fn condition(&mut self) -> Result<Condition<Target>, Located> {
        let quantifier = match self.peek().kind {
            TokenKind::End => {
                return Ok(Condition {
                    quantifier: Quantifier::Forall,
                    proposition: Proposition::And(Vec::new()),
                });
            }
            TokenKind::Name("forall") => Quantifier::Forall,
            TokenKind::Name("exists" | "final") => Quantifier::Exists,
            TokenKind::Sign("~") | TokenKind::Name("not") => Quantifier::NotExists,
            TokenKind::Sign("(") => return self.condition_of(Quantifier::Exists),
            TokenKind::Name("observed" | "Observed") => {
                let what = "`observed` is not supported: use `exists`".to_owned();
                return Err((Problem::Unsupported(what), self.at()));
            }
            _ => {
                return Err(
                    self.unexpected("a process, `locations`, `filter`, `exists`, `~exists` or `forall`")
                );
            }
        };
        self.next += 1;
        if quantifier == Quantifier::NotExists && !self.eat_name("exists") {
            return Err(self.unexpected("`exists`"));
        }
        self.condition_of(quantifier)
    }

    fn condition_of(&mut self, quantifier: Quantifier) -> Result<Condition<Target>, Located> {
        let proposition = self.proposition()?;
        self.eat(";");
        Ok(Condition { quantifier, proposition })
    }

    fn proposition(&mut self) -> Parsed {
        self.nested(Parser::disjunction)
    }

    fn disjunction(&mut self) -> Parsed {
        let mut parts = vec![self.conjunction()?];
        while self.eat("\\/") {
            parts.push(self.conjunction()?);
        }
        Ok(single_or(parts, Proposition::Or))
    }

    fn conjunction(&mut self) -> Parsed {
        let mut parts = vec![self.implication()?];
        while self.eat("/\\") {
            parts.push(self.implication()?);
        }
        Ok(single_or(parts, Proposition::And))
    }

    fn implication(&mut self) -> Parsed {
        let left = self.negation()?;
        if !self.eat("=>") {
            return Ok(left);
        }
        let right = self.nested(Parser::implication)?;
        Ok(Proposition::Implies(Box::new(left), Box::new(right)))
    }

    fn negation(&mut self) -> Parsed {
        if self.eat("~") || self.eat_name("not") {
            let inner = self.nested(Parser::negation)?;
            return Ok(Proposition::Not(Box::new(inner)));
        }
        if self.eat("(") {
            let inner = self.proposition()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat_name("true") {
            return Ok(Proposition::And(Vec::new()));
        }
        if self.eat_name("false") {
            return Ok(Proposition::Or(Vec::new()));
        }
        self.atom()
    }

    /// `0:r0 = 1`
    fn atom(&mut self) -> Parsed {
        let variable = self.target()?;
        let negated = self.is_sign("!=") || self.is_sign("<>");
        if !(negated || self.is_sign("=") || self.is_sign("==")) {
            return Err(self.unexpected("`=` or `!=`"));
        }
        self.next += 1;
        let atom = Proposition::Atom(Atom { variable, operand: self.operand()? });
        Ok(if negated { Proposition::Not(Box::new(atom)) } else { atom })
    }

    /// A number, the address of a location, or (as `0:r1`, `*x` or `[x]`) another value of the final state.
    fn operand(&mut self) -> Result<Operand<Target>, Located> {
        let is_register = matches!(self.peek_at(1).kind, TokenKind::Sign(":"));
        match self.peek().kind {
            TokenKind::Sign("*") => {
                self.next += 1;
                Ok(Operand::Variable(self.target()?))
            }
            TokenKind::Sign("[") => Ok(Operand::Variable(self.target()?)),
            TokenKind::Number(_) | TokenKind::Name(_) if is_register => Ok(Operand::Variable(self.target()?)),
            TokenKind::Sign("&") => {
                self.next += 1;
                self.address()
            }
            TokenKind::Name("NULL") => {
                self.next += 1;
                Ok(Operand::Number(0))
            }
            TokenKind::Name(_) => self.address(),
            _ => Ok(Operand::Number(self.signed_number()?)),
        }
    }

    fn address(&mut self) -> Result<Operand<Target>, Located> {
        let (name, at) = self.expect_name("the name of a location")?;
        Ok(Operand::Address(name.to_owned(), at))
    }
}

fn single_or(
    mut parts: Vec<Proposition<Target>>,
    many: impl FnOnce(Vec<Proposition<Target>>) -> Proposition<Target>,
) -> Proposition<Target> {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            many(parts)
        }
        None => many(parts),
    }
}
