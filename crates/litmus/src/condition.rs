//! Conditions on final states, and herd's way to print them.

use crate::source::At;
use crate::state::{Value, Variable};
use std::fmt;

/// A proposition about final states and how many of them it is about. `V` is how variables are named: as written, or
/// resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Condition<V> {
    pub(crate) quantifier: Quantifier,
    pub(crate) proposition: Proposition<V>,
}

/// How many final states a proposition is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// Some: `exists`.
    Exists,
    /// None: `~exists`.
    NotExists,
    /// All: `forall`.
    Forall,
}

impl Quantifier {
    /// What herd calls a test with such a condition.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Quantifier::Exists => "Allowed",
            Quantifier::NotExists => "Forbidden",
            Quantifier::Forall => "Required",
        }
    }

    /// Whether it is so when the proposition holds that often and does not hold that often.
    pub(crate) fn holds(self, positive: u64, negative: u64) -> bool {
        match self {
            Quantifier::Exists => positive > 0,
            Quantifier::NotExists => positive == 0,
            Quantifier::Forall => negative == 0,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Proposition<V> {
    Atom(Atom<V>),
    Not(Box<Proposition<V>>),
    /// Of none: true.
    And(Vec<Proposition<V>>),
    /// Of none: false.
    Or(Vec<Proposition<V>>),
    Implies(Box<Proposition<V>>, Box<Proposition<V>>),
}

/// `variable = operand`
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Atom<V> {
    pub(crate) variable: V,
    pub(crate) operand: Operand<V>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Operand<V> {
    Number(i128),
    /// The address of a location.
    Address(String, At),
    /// What another variable holds.
    Variable(V),
}

impl<V> Proposition<V> {
    /// The same with other variables.
    pub(crate) fn map<W, E>(
        &self,
        atom: &mut impl FnMut(&Atom<V>) -> Result<Atom<W>, E>,
    ) -> Result<Proposition<W>, E> {
        let mut all =
            |parts: &[Proposition<V>]| parts.iter().map(|part| part.map(atom)).collect::<Result<_, E>>();
        Ok(match self {
            Proposition::And(parts) => Proposition::And(all(parts)?),
            Proposition::Or(parts) => Proposition::Or(all(parts)?),
            Proposition::Atom(a) => Proposition::Atom(atom(a)?),
            Proposition::Not(inner) => Proposition::Not(Box::new(inner.map(atom)?)),
            Proposition::Implies(a, b) => {
                Proposition::Implies(Box::new(a.map(atom)?), Box::new(b.map(atom)?))
            }
        })
    }

    /// Every variable in it.
    pub(crate) fn variables<'a>(&'a self, found: &mut Vec<&'a V>) {
        match self {
            Proposition::Atom(Atom { variable, operand }) => {
                found.push(variable);
                if let Operand::Variable(other) = operand {
                    found.push(other);
                }
            }
            Proposition::Not(inner) => inner.variables(found),
            Proposition::And(parts) | Proposition::Or(parts) => {
                parts.iter().for_each(|part| part.variables(found));
            }
            Proposition::Implies(a, b) => {
                a.variables(found);
                b.variables(found);
            }
        }
    }
}

impl Proposition<Variable> {
    /// Whether it holds where variables have these values.
    pub(crate) fn holds(&self, value: &impl Fn(&Variable) -> Value) -> bool {
        match self {
            Proposition::Atom(Atom { variable, operand }) => value(variable) == operand.value(value),
            Proposition::Not(inner) => !inner.holds(value),
            Proposition::And(parts) => parts.iter().all(|part| part.holds(value)),
            Proposition::Or(parts) => parts.iter().any(|part| part.holds(value)),
            Proposition::Implies(a, b) => !a.holds(value) || b.holds(value),
        }
    }

    fn operator(&self) -> Option<Operator> {
        match self {
            Proposition::And(parts) if !parts.is_empty() => Some(Operator::And),
            Proposition::Or(parts) if !parts.is_empty() => Some(Operator::Or),
            Proposition::Implies(..) => Some(Operator::Implies),
            Proposition::And(_) | Proposition::Or(_) | Proposition::Atom(_) | Proposition::Not(_) => None,
        }
    }

    /// Inside of an `above`, with the parentheses that herd writes there.
    fn inside(&self, above: Operator, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parentheses = match (above, self.operator()) {
            (_, None) | (Operator::Or, Some(Operator::And | Operator::Or)) => false,
            (above, Some(here)) => above != here,
        };
        if parentheses { write!(f, "({self})") } else { write!(f, "{self}") }
    }

    fn list(parts: &[Self], above: Operator, sign: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                write!(f, " {sign} ")?;
            }
            part.inside(above, f)?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    And,
    Or,
    Implies,
}

impl Operand<Variable> {
    fn value(&self, value: &impl Fn(&Variable) -> Value) -> Value {
        match self {
            Operand::Number(number) => Value::Number(*number),
            Operand::Address(name, _) => Value::Address(name.clone()),
            Operand::Variable(variable) => value(variable),
        }
    }
}

impl fmt::Display for Proposition<Variable> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proposition::Atom(Atom { variable, operand }) => match operand {
                Operand::Number(number) => write!(f, "{variable}={number}"),
                Operand::Address(name, _) => write!(f, "{variable}={name}"),
                Operand::Variable(other) => write!(f, "{variable}={other}"),
            },
            Proposition::Not(inner) => write!(f, "not ({inner})"),
            Proposition::And(parts) if parts.is_empty() => f.write_str("true"),
            Proposition::Or(parts) if parts.is_empty() => f.write_str("false"),
            Proposition::And(parts) => Self::list(parts, Operator::And, "/\\", f),
            Proposition::Or(parts) => Self::list(parts, Operator::Or, "\\/", f),
            Proposition::Implies(a, b) => {
                a.inside(Operator::Implies, f)?;
                f.write_str(" => ")?;
                b.inside(Operator::Implies, f)
            }
        }
    }
}

impl fmt::Display for Condition<Variable> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.quantifier {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::Forall => "forall",
        };
        write!(f, "{word} ({})", self.proposition)
    }
}
