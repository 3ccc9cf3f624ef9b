//! The C types that litmus tests use, and what C does when they meet (C11 6.3.1).
//!
//! Not modelled: floating point, structs, arrays. `char` is signed, `long` has 64 bits, as on x86-64.

use std::fmt;

/// A type. `volatile` and `const` change nothing that a test can observe and are dropped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Type {
    /// Whether an object of this type is accessed atomically where the program just names it.
    pub(crate) atomic: bool,
    pub(crate) kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Void,
    Bool,
    Int { bits: u8, signed: bool },
    Pointer(Box<Type>),
}

/// `int`
pub(crate) const INT: Type = Type { atomic: false, kind: Kind::Int { bits: 32, signed: true } };
/// `long`
pub(crate) const LONG: Type = Type { atomic: false, kind: Kind::Int { bits: 64, signed: true } };

impl Type {
    pub(crate) fn int(bits: u8, signed: bool) -> Type {
        Type { atomic: false, kind: Kind::Int { bits, signed } }
    }

    pub(crate) fn plain(kind: Kind) -> Type {
        Type { atomic: false, kind }
    }

    /// A pointer to an object of this type.
    pub(crate) fn pointer(self) -> Type {
        Type::plain(Kind::Pointer(Box::new(self)))
    }

    /// What a pointer points to.
    pub(crate) fn pointee(&self) -> Option<&Type> {
        match &self.kind {
            Kind::Pointer(to) => Some(to),
            Kind::Void | Kind::Bool | Kind::Int { .. } => None,
        }
    }

    /// The type of a value that was read from an object of this type.
    pub(crate) fn value(&self) -> Type {
        Type { atomic: false, kind: self.kind.clone() }
    }

    /// Bytes of an object; 0 for `void`.
    pub(crate) fn size(&self) -> u8 {
        match self.kind {
            Kind::Void => 0,
            Kind::Bool => 1,
            Kind::Int { bits, .. } => bits / 8,
            Kind::Pointer(_) => 8,
        }
    }

    pub(crate) fn bits(&self) -> u8 {
        self.size() * 8
    }

    pub(crate) fn is_signed(&self) -> bool {
        matches!(self.kind, Kind::Int { signed: true, .. })
    }

    pub(crate) fn is_pointer(&self) -> bool {
        self.pointee().is_some()
    }

    /// Integer promotion (6.3.1.1): what is narrower than `int` becomes `int`.
    pub(crate) fn promoted(&self) -> Type {
        if self.bits() < 32 { INT } else { self.value() }
    }

    /// The usual arithmetic conversions (6.3.1.8) of two integer types.
    pub(crate) fn common(&self, other: &Type) -> Type {
        let (a, b) = (self.promoted(), other.promoted());
        match a.bits().cmp(&b.bits()) {
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Greater => a,
            // Of two with the same rank the unsigned one wins.
            std::cmp::Ordering::Equal => Type::int(a.bits(), a.is_signed() && b.is_signed()),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = match (&self.kind, self.atomic) {
            (Kind::Pointer(to), false) => return write!(f, "{to}*"),
            (Kind::Pointer(to), true) => return write!(f, "_Atomic({to}*)"),
            (Kind::Int { bits: 32, signed: true }, true) => return f.write_str("atomic_int"),
            (_, true) => return write!(f, "_Atomic({})", self.value()),
            (Kind::Void, false) => "void",
            (Kind::Bool, false) => "_Bool",
            (Kind::Int { bits, signed }, false) => match (bits, signed) {
                (8, true) => "char",
                (8, false) => "unsigned char",
                (16, true) => "short",
                (16, false) => "unsigned short",
                (32, true) => "int",
                (32, false) => "unsigned",
                (_, true) => "long",
                (_, false) => "unsigned long",
            },
        };
        f.write_str(base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_conversions_are_those_of_c() {
        let (char, unsigned, long) = (Type::int(8, true), Type::int(32, false), LONG);
        assert_eq!(char.common(&char), INT);
        assert_eq!(Type::int(8, false).common(&INT), INT);
        assert_eq!(Type::plain(Kind::Bool).common(&Type::plain(Kind::Bool)), INT);
        assert_eq!(INT.common(&unsigned), unsigned);
        assert_eq!(unsigned.common(&long), long, "long holds every unsigned");
        assert_eq!(Type::int(64, false).common(&long), Type::int(64, false));
    }

    #[test]
    fn types_are_named_as_tests_name_them() {
        let atomic = Type { atomic: true, ..INT };
        assert_eq!(atomic.clone().pointer().pointer().to_string(), "atomic_int**");
        assert_eq!(Type { atomic: true, ..LONG }.to_string(), "_Atomic(long)");
        assert_eq!(Type::int(32, false).pointer().to_string(), "unsigned*");
    }
}
