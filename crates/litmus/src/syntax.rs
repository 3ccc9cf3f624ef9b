//! The syntax tree of a test, as it was written.

use crate::condition::{Condition, Proposition};
use crate::source::At;
use crate::types::Type;

/// A whole test.
#[derive(Debug)]
pub(crate) struct Syntax {
    pub(crate) name: String,
    pub(crate) init: Vec<Init>,
    pub(crate) processes: Vec<Process>,
    /// What `locations [ … ]` shows.
    pub(crate) locations: Vec<Target>,
    pub(crate) filter: Option<Proposition<Target>>,
    pub(crate) condition: Condition<Target>,
}

/// Something that has a value in the end, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Target {
    pub(crate) at: At,
    pub(crate) name: String,
    /// The process whose register it is; `None` for a location.
    pub(crate) thread: Option<u64>,
}

/// An element of the initial state.
#[derive(Debug)]
pub(crate) struct Init {
    pub(crate) target: Target,
    pub(crate) declared: Option<Type>,
    pub(crate) value: InitValue,
    pub(crate) value_at: At,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum InitValue {
    Number(i128),
    /// The address of a location.
    Address(String),
}

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) at: At,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Vec<Statement>,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) at: At,
    pub(crate) name: String,
    pub(crate) declared: Type,
}

#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) at: At,
    pub(crate) kind: StatementKind,
}

#[derive(Debug)]
pub(crate) enum StatementKind {
    Block(Vec<Statement>),
    Declare(Vec<Declaration>),
    Expression(Expression),
    If { condition: Expression, then: Box<Statement>, otherwise: Option<Box<Statement>> },
    While { condition: Expression, body: Box<Statement> },
    DoWhile { body: Box<Statement>, condition: Expression },
    For(Box<For>),
    Break,
    Continue,
    Return,
}

/// `for (first; condition; step) body`
#[derive(Debug)]
pub(crate) struct For {
    pub(crate) first: Option<Statement>,
    pub(crate) condition: Option<Expression>,
    pub(crate) step: Option<Expression>,
    pub(crate) body: Statement,
}

#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) at: At,
    pub(crate) name: String,
    pub(crate) declared: Type,
    pub(crate) value: Option<Expression>,
}

#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) at: At,
    /// How deep the tree is. Bounded, so that whoever walks it may recurse.
    pub(crate) depth: u16,
    pub(crate) kind: ExpressionKind,
}

#[derive(Debug)]
pub(crate) enum ExpressionKind {
    Number(u64, Type),
    Name(String),
    Unary(Unary, Box<Expression>),
    Deref(Box<Expression>),
    /// `&name`
    AddressOf(String),
    Binary(Binary, Box<Expression>, Box<Expression>),
    Logical(Logical, Box<Expression>, Box<Expression>),
    Assign(Box<Expression>, Box<Expression>),
    /// `a += b` and its like; `++a` is `a += 1`.
    Update(Binary, Box<Expression>, Box<Expression>),
    /// `a++` is `a += 1`, but with the old value.
    PostUpdate(Binary, Box<Expression>, Box<Expression>),
    Cast(Type, Box<Expression>),
    Call(String, Vec<Expression>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Plus,
    Minus,
    Complement,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Logical {
    And,
    Or,
}
