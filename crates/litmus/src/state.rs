//! Final states: which variables have which values, in herd's order and spelling.

use crate::types::{Kind, Type};
use std::fmt;
use vm::Machine;

/// Something that has a value in the end. Registers come before locations, by process and name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Variable {
    /// `0:r0`
    Register {
        /// The process.
        thread: usize,
        /// Its name.
        name: String,
    },
    /// `[x]`
    Location(String),
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Register { thread, name } => write!(f, "{thread}:{name}"),
            Variable::Location(name) => write!(f, "[{name}]"),
        }
    }
}

/// What a variable holds in the end. Numbers come before addresses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    /// A number, or the null pointer.
    Number(i128),
    /// The address of a location.
    Address(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Address(name) => f.write_str(name),
        }
    }
}

impl Value {
    /// What the bits in a register or in memory mean.
    pub(crate) fn decode(bits: u64, declared: &Type, machine: &Machine) -> Value {
        match declared.kind {
            Kind::Pointer(_) if bits != 0 => {
                Value::Address(machine.describe_address(bits).unwrap_or_else(|| format!("{bits:#x}")))
            }
            Kind::Int { bits: width, signed: true } => {
                let shift = 64 - u32::from(width);
                Value::Number(i128::from((bits << shift).cast_signed() >> shift))
            }
            Kind::Int { .. } | Kind::Bool | Kind::Void | Kind::Pointer(_) => Value::Number(i128::from(bits)),
        }
    }

    /// What becomes of a number when it is stored in an object of this type.
    pub(crate) fn wrapped(number: i128, declared: &Type) -> i128 {
        let width = u32::from(declared.bits()).max(8);
        let shift = 128 - width;
        match declared.kind {
            Kind::Bool => i128::from(number != 0),
            Kind::Int { signed: true, .. } => number << shift >> shift,
            Kind::Int { .. } | Kind::Void | Kind::Pointer(_) => {
                (number.cast_unsigned() << shift >> shift).cast_signed()
            }
        }
    }
}

/// The final values of some variables, in the order of the variables.
pub type State = Vec<Value>;

/// The state as a line: `0:r0=1; [x]=2;`.
pub fn state_line(variables: &[Variable], state: &[Value]) -> String {
    let pairs: Vec<String> =
        variables.iter().zip(state).map(|(variable, value)| format!("{variable}={value};")).collect();
    pairs.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{INT, LONG};

    #[test]
    fn variables_and_values_are_in_herds_order() {
        let register = |thread, name: &str| Variable::Register { thread, name: name.to_owned() };
        let x = Variable::Location("x".to_owned());
        assert!(register(0, "r10") < register(0, "r2") && register(0, "r2") < register(1, "a"));
        assert!(register(9, "z") < x);
        assert!(Value::Number(-1) < Value::Number(0) && Value::Number(99) < Value::Address("a".to_owned()));
        assert_eq!(state_line(&[x], &[Value::Number(-1)]), "[x]=-1;");
        assert_eq!(state_line(&[], &[]), "");
    }

    #[test]
    fn numbers_wrap_as_in_c() {
        assert_eq!(Value::wrapped(4_294_967_295, &INT), -1);
        assert_eq!(Value::wrapped(-1, &Type::int(8, false)), 255);
        assert_eq!(Value::wrapped(i128::from(u64::MAX), &LONG), -1);
        assert_eq!(Value::wrapped(7, &Type::plain(Kind::Bool)), 1);
    }
}
