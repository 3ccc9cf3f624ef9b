//! The constraints of inline assembly: where each operand is, and which of them the assembly changes.

use super::{Register, register};

/// An operand, in the order in which templates count them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Operand {
    pub(crate) is_output: bool,
    /// It takes an argument of the call: an input, or the address of memory.
    pub(crate) takes_argument: bool,
    pub(crate) place: Place,
}

/// Where an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In some register, or a constant.
    Any,
    Register(Register),
    /// Where another operand is.
    Same(usize),
    Memory,
    /// An output that is a condition: the letters of the instructions that test for it.
    Flag([u8; 3]),
}

/// All operands, and whether the assembly may access memory that is no operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Constraints {
    pub(crate) operands: Vec<Operand>,
    pub(crate) clobbers_memory: bool,
}

/// Read the constraints as LLVM writes them. The error is the one that is not understood.
pub(crate) fn parse(text: &str) -> Result<Constraints, String> {
    let mut constraints = Constraints { operands: Vec::new(), clobbers_memory: false };
    for constraint in text.split(',').filter(|constraint| !constraint.is_empty()) {
        if let Some(clobber) = constraint.strip_prefix('~') {
            constraints.clobbers_memory |= clobber == "{memory}";
            continue;
        }
        constraints.operands.push(operand(constraint).ok_or_else(|| constraint.to_owned())?);
    }
    Ok(constraints)
}

fn operand(constraint: &str) -> Option<Operand> {
    let is_output = constraint.starts_with('=');
    let letters = constraint.trim_start_matches(['=', '&', '%']);
    let (is_memory, letters) = match letters.strip_prefix('*') {
        Some(letters) => (true, letters),
        None => (false, letters),
    };
    let place = match letters.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
        _ if is_memory => Place::Memory,
        Some(name) => match name.strip_prefix("@cc") {
            Some(condition) if condition.len() <= 3 && is_output => {
                let mut letters = [0; 3];
                letters[..condition.len()].copy_from_slice(condition.as_bytes());
                Place::Flag(letters)
            }
            _ => Place::Register(Register { bits: 64, ..register(name)? }),
        },
        None if letters.starts_with(|c: char| c.is_ascii_digit()) => Place::Same(letters.parse().ok()?),
        None if letters.chars().all(|c| "rqQRlimngpXIJKLMNeZsoEF".contains(c)) => Place::Any,
        None => return None,
    };
    Some(Operand { is_output, takes_argument: !is_output || is_memory, place })
}

#[cfg(test)]
mod tests {
    use super::super::AX;
    use super::*;

    #[test]
    fn operands_are_in_the_order_of_the_constraints() {
        let text = "=*m,={@ccnz},=&{ax},imr,*m,2,~{memory},~{cc},~{dirflag}";
        let Constraints { operands, clobbers_memory } = parse(text).expect("is understood");
        let places: Vec<Place> = operands.iter().map(|operand| operand.place).collect();
        let flag = Place::Flag([b'n', b'z', 0]);
        let ax = Place::Register(AX);
        assert_eq!(places, [Place::Memory, flag, ax, Place::Any, Place::Memory, Place::Same(2)]);
        let takes: Vec<bool> = operands.iter().map(|operand| operand.takes_argument).collect();
        assert_eq!(takes, [true, false, false, true, true, true]);
        assert!(clobbers_memory && operands[2].is_output && !operands[3].is_output);
    }

    #[test]
    fn other_registers_are_not_understood() {
        assert_eq!(parse("=x,r"), Err("=x".to_owned()));
        assert_eq!(parse("={st}"), Err("={st}".to_owned()));
        assert_eq!(parse("r,~{rax}").map(|constraints| constraints.clobbers_memory), Ok(false));
    }
}
