//! Types as they are written: `atomic_int*`, `volatile int *`, `_Atomic(long)`, `unsigned char`.

use super::Parser;
use crate::error::Problem;
use crate::lexer::{Located, TokenKind};
use crate::types::{INT, Kind, Type};

/// Pointers to pointers to …: more levels than any test has.
const MAX_STARS: usize = 8;

/// Base types that are one word.
fn named(name: &str) -> Option<Type> {
    let (atomic, name) = match name.strip_prefix("atomic_") {
        Some(rest) => (true, rest),
        None => (false, name),
    };
    let int = |bits, signed| Some(Kind::Int { bits, signed });
    let kind = match (name, atomic) {
        ("int8_t", false) | ("char" | "schar", true) => int(8, true),
        ("uint8_t", false) | ("uchar", true) => int(8, false),
        ("int16_t", false) | ("short", true) => int(16, true),
        ("uint16_t", false) | ("ushort", true) => int(16, false),
        ("int32_t", false) | ("int", true) => int(32, true),
        ("uint32_t", false) | ("uint", true) => int(32, false),
        ("int64_t" | "ssize_t", false) | ("intptr_t" | "ptrdiff_t", _) | ("long" | "llong", true) => {
            int(64, true)
        }
        ("uint64_t", false) | ("uintptr_t" | "size_t", _) | ("ulong" | "ullong", true) => int(64, false),
        ("bool", _) | ("_Bool", false) => Some(Kind::Bool),
        ("t", true) => int(32, true),
        _ => None,
    };
    kind.map(|kind| Type { atomic, kind })
}

/// Words that types are made of.
fn is_word(name: &str) -> bool {
    matches!(
        name,
        "void" | "char" | "short" | "int" | "long" | "signed" | "unsigned" | "volatile" | "const" | "_Atomic"
    ) || named(name).is_some()
}

/// The words of a type without its stars, counted.
#[derive(Debug, Default)]
struct Words {
    base: Option<Type>,
    void: bool,
    char: bool,
    short: bool,
    int: bool,
    long: u8,
    signed: bool,
    unsigned: bool,
    atomic: bool,
}

impl Words {
    fn is_empty(&self) -> bool {
        let Words { base, void, char, short, int, long, signed, unsigned, .. } = self;
        base.is_none()
            && *long == 0
            && ![void, char, short, int, signed, unsigned].into_iter().any(|&set| set)
    }

    /// The type; `None` if the words do not go together.
    fn resolve(self) -> Option<Type> {
        let Words { base, void, char, short, int, long, signed, unsigned, atomic } = self;
        let with_atomic = |found: Type| Some(Type { atomic: atomic || found.atomic, ..found });
        let sized = usize::from(char) + usize::from(short) + usize::from(long > 0);
        match base {
            Some(base) if sized == 0 && !(void || int || signed || unsigned) => return with_atomic(base),
            Some(_) => return None,
            None => {}
        }
        if void {
            return (sized == 0 && !(int || signed || unsigned)).then(|| Type::plain(Kind::Void));
        }
        if sized > 1 || long > 2 || (signed && unsigned) || (char && int) {
            return None;
        }
        let bits = if char {
            8
        } else if short {
            16
        } else if long > 0 {
            64
        } else {
            32
        };
        with_atomic(Type::int(bits, !unsigned))
    }
}

impl Parser<'_> {
    /// Whether a type starts here.
    pub(super) fn is_type(&self) -> bool {
        matches!(self.peek().kind, TokenKind::Name(name) if is_word(name))
    }

    /// A type with its stars.
    pub(super) fn declared(&mut self) -> Result<Type, Located> {
        let base = self.base()?;
        self.stars(base)
    }

    /// A type without its stars.
    pub(super) fn base(&mut self) -> Result<Type, Located> {
        let at = self.at();
        let mut words = Words::default();
        while let TokenKind::Name(name) = self.peek().kind {
            if !is_word(name) || (named(name).is_some() && !words.is_empty()) {
                break;
            }
            self.next += 1;
            if name == "_Atomic" && self.is_sign("(") {
                words.base = Some(self.in_parentheses()?);
                words.atomic = true;
            } else {
                words.add(name);
            }
        }
        if words.is_empty() {
            return Err(self.unexpected("a type"));
        }
        words.resolve().ok_or_else(|| (Problem::Unsupported("no type of C".to_owned()), at))
    }

    /// `_Atomic(int*)`
    fn in_parentheses(&mut self) -> Result<Type, Located> {
        self.expect("(")?;
        let inner = self.nested(Parser::declared)?;
        self.expect(")")?;
        Ok(inner)
    }

    /// The stars after a base type, and the qualifiers after them.
    pub(super) fn stars(&mut self, base: Type) -> Result<Type, Located> {
        let mut found = base;
        let mut stars = 0;
        loop {
            let at = self.at();
            if self.eat("*") {
                stars += 1;
                if stars > MAX_STARS {
                    return Err((Problem::TooMany { what: "stars", limit: MAX_STARS }, at));
                }
                found = found.pointer();
            } else if self.eat_name("_Atomic") {
                found.atomic = true;
            } else if !["volatile", "const", "restrict"].into_iter().any(|word| self.eat_name(word)) {
                return Ok(found);
            }
        }
    }
}

impl Words {
    fn add(&mut self, name: &str) {
        match name {
            "volatile" | "const" => {}
            "_Atomic" => self.atomic = true,
            "void" => self.void = true,
            "char" => self.char = true,
            "short" => self.short = true,
            "int" => self.int = true,
            "long" => self.long = self.long.saturating_add(1),
            "signed" => self.signed = true,
            "unsigned" => self.unsigned = true,
            _ => self.base = Some(named(name).unwrap_or(INT)),
        }
    }
}
