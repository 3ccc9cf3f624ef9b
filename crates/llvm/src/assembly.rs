//! Inline assembly of x86 in the syntax of AT&T: from a template to statements.
//!
//! LLVM writes `$0` for the operand `%0`, `${0:b}` for `%b0`, `$$` for `$`, and `$(a$|b$)` for `{a|b}`, of which the first
//! alternative is the one in this syntax. Statements end with `;` or a line, comments begin with `#`, and a prefix may be a
//! statement of its own.
//!
//! Not understood, each an error that says so: directives, symbols in addresses, the high bytes `ah` to `dh`.

pub(crate) mod constraint;

/// A line of the template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    /// A place to jump to.
    Label(String),
    Instruction(Instruction),
}

/// An instruction, as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Instruction {
    /// It has the prefix `lock`.
    pub(crate) is_locked: bool,
    pub(crate) name: String,
    /// In the order of the text: the destination is the last.
    pub(crate) arguments: Vec<Argument>,
}

/// An argument of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Argument {
    Immediate(Number),
    /// An operand of the assembly, with its modifier.
    Operand(usize, Option<char>),
    Register(Register),
    Memory(Memory),
    /// `%fs:` with an offset.
    ThreadPointer(i64),
    /// Where a jump goes.
    Label(String),
}

/// A number in the text, or an operand that is a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    Value(i64),
    Operand(usize),
}

/// Memory, as `offset(base, index, scale)` or as an offset from an operand that is in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Memory {
    pub(crate) offset: Number,
    pub(crate) base: Base,
    /// With its scale.
    pub(crate) index: Option<(Base, i64)>,
}

/// What an address is computed from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    Register(Register),
    Operand(usize),
}

/// A part of a general register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Register {
    pub(crate) number: u8,
    pub(crate) bits: u8,
}

/// The number of `rsp`.
pub(crate) const STACK_POINTER: u8 = 4;
/// The names of the first eight registers without their sizes, in the order of their numbers.
const NAMES: [&str; 8] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
pub(crate) const AX: Register = Register { number: 0, bits: 64 };
pub(crate) const CX: Register = Register { number: 1, bits: 64 };
pub(crate) const DX: Register = Register { number: 2, bits: 64 };
pub(crate) const BX: Register = Register { number: 3, bits: 64 };

/// The register with this name.
pub(crate) fn register(name: &str) -> Option<Register> {
    let numbered = name.strip_prefix('r').and_then(|rest| {
        let digits = rest.trim_end_matches(['b', 'w', 'd', 'l']);
        let number = digits.parse().ok().filter(|number| (8..16).contains(number))?;
        let bits = match &rest[digits.len()..] {
            "" => 64,
            "d" => 32,
            "w" => 16,
            "b" | "l" => 8,
            _ => return None,
        };
        Some(Register { number, bits })
    });
    numbered.or_else(|| {
        let of = |name: &str| NAMES.iter().position(|known| *known == name);
        let (number, bits) = match name {
            "al" | "bl" | "cl" | "dl" => (of(&format!("{}x", &name[..1])), 8),
            "sil" | "dil" | "spl" | "bpl" => (of(&name[..2]), 8),
            _ if name.starts_with('r') => (of(&name[1..]), 64),
            _ if name.starts_with('e') => (of(&name[1..]), 32),
            _ => (of(name), 16),
        };
        number.map(|number| Register { number: number as u8, bits })
    })
}

/// The statements of a template. The error is what is not understood.
pub(crate) fn parse(template: &str) -> Result<Vec<Statement>, String> {
    let text = first_alternatives(template)?;
    let mut statements = Vec::new();
    let mut is_locked = false;
    for line in text.lines() {
        let line = line.split_once('#').map_or(line, |(code, _)| code);
        for part in line.split(';') {
            let mut part = part.trim();
            while let Some((label, rest)) = label(part) {
                statements.push(Statement::Label(label.to_owned()));
                part = rest;
            }
            while let Some(rest) = without_prefix(part, "lock") {
                (is_locked, part) = (true, rest);
            }
            // `rep nop` is `pause`; the prefix means nothing before other instructions that are understood.
            for prefix in ["repz", "repe", "rep"] {
                match without_prefix(part, prefix) {
                    Some("" | "nop") => part = "pause",
                    Some(_) => return Err(part.to_owned()),
                    None => {}
                }
            }
            if !part.is_empty() {
                let instruction = instruction(part, std::mem::take(&mut is_locked));
                statements.push(Statement::Instruction(instruction.ok_or_else(|| part.to_owned())?));
            }
        }
    }
    match is_locked {
        true => Err("lock".to_owned()),
        false => Ok(statements),
    }
}

/// What follows a prefix.
fn without_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(prefix)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
}

/// The template with the first of each group of alternatives.
fn first_alternatives(template: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, group)) = rest.split_once("$(") {
        let (alternatives, after) = group.split_once("$)").ok_or_else(|| template.to_owned())?;
        text.push_str(before);
        text.push_str(alternatives.split("$|").next().unwrap_or_default());
        rest = after;
    }
    Ok(text + rest)
}

/// A label at the start of a statement, and the rest.
fn label(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(':')?;
    let is_name = !name.is_empty() && !name.contains([' ', '\t', '%', '(', ',']);
    // The number that makes a name unique has a colon itself: `.Lname${:uid}`.
    if name.ends_with("${") {
        let (uid, rest) = rest.split_once(':')?;
        let end = name.len() + 1 + uid.len();
        return uid.starts_with("uid}").then(|| (&text[..end], rest.trim_start()));
    }
    is_name.then(|| (name, rest.trim_start()))
}

fn instruction(text: &str, is_locked: bool) -> Option<Instruction> {
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if name.starts_with('.') || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let is_jump = name.starts_with('j');
    let arguments = split_arguments(rest).into_iter();
    let arguments = arguments.map(|text| match is_jump {
        true => target(text),
        false => argument(text),
    });
    Some(Instruction { is_locked, name, arguments: arguments.collect::<Option<_>>()? })
}

/// The arguments, between commas that are not in parentheses.
fn split_arguments(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

fn target(text: &str) -> Option<Argument> {
    let is_name = !text.contains(['(', '%', '*', ' ']);
    is_name.then(|| Argument::Label(text.to_owned()))
}

fn argument(text: &str) -> Option<Argument> {
    if let Some(immediate) = text.strip_prefix("$$") {
        return number(immediate).map(Argument::Immediate);
    }
    if let Some(name) = text.strip_prefix('%') {
        return match name.strip_prefix("fs:") {
            Some(offset) => integer(offset).map(Argument::ThreadPointer),
            None => register(name).map(Argument::Register),
        };
    }
    match operand(text) {
        Some((index, Some('c' | 'P' | 'n'), _)) => Some(Argument::Immediate(Number::Operand(index))),
        Some((index, Some('a'), "")) => Some(Argument::Memory(plain(Base::Operand(index)))),
        // The second eight bytes of an operand in memory.
        Some((index, Some('H'), "")) => {
            Some(Argument::Memory(Memory { offset: Number::Value(8), ..plain(Base::Operand(index)) }))
        }
        Some((index, modifier, "")) => Some(Argument::Operand(index, modifier)),
        _ => memory(text).map(Argument::Memory),
    }
}

fn plain(base: Base) -> Memory {
    Memory { offset: Number::Value(0), base, index: None }
}

fn memory(text: &str) -> Option<Memory> {
    let Some((offset, rest)) = text.split_once('(') else {
        // `8+$0`: an offset from an operand in memory.
        let (offset, base) = text.split_once('+').map(|(a, b)| (a.trim(), b.trim()))?;
        let (offset, base) = if operand(offset).is_some() { (base, offset) } else { (offset, base) };
        let Some((index, None, "")) = operand(base) else { return None };
        return Some(Memory { offset: number(offset)?, ..plain(Base::Operand(index)) });
    };
    let offset = if offset.trim().is_empty() { Number::Value(0) } else { number(offset.trim())? };
    let parts: Vec<&str> = rest.strip_suffix(')')?.split(',').map(str::trim).collect();
    let base = base(parts.first()?)?;
    let index = match parts[1..] {
        [] => None,
        [index] => Some((self::base(index)?, 1)),
        [index, scale] => Some((self::base(index)?, integer(scale)?)),
        _ => return None,
    };
    Some(Memory { offset, base, index })
}

fn base(text: &str) -> Option<Base> {
    match text.strip_prefix('%') {
        Some(name) => {
            register(name).filter(|it| it.bits == 64 || it.number == STACK_POINTER).map(Base::Register)
        }
        None => match operand(text)? {
            (index, None | Some('q'), "") => Some(Base::Operand(index)),
            _ => None,
        },
    }
}

fn number(text: &str) -> Option<Number> {
    match operand(text) {
        Some((index, None | Some('c' | 'P'), "")) => Some(Number::Operand(index)),
        Some(_) => None,
        None => integer(text).map(Number::Value),
    }
}

/// A decimal or hexadecimal number.
fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        // An octal number.
        None if digits.len() > 1 && digits.starts_with('0') => return None,
        None => digits.parse::<u64>().ok()?,
    };
    let value = value.cast_signed();
    Some(if is_negative { value.wrapping_neg() } else { value })
}

/// The operand that the text begins with, its modifier, and the rest.
fn operand(text: &str) -> Option<(usize, Option<char>, &str)> {
    let rest = text.strip_prefix('$')?;
    if let Some(inner) = rest.strip_prefix('{') {
        let (inner, rest) = inner.split_once('}')?;
        let (index, modifier) = inner.split_once(':')?;
        let mut modifier = modifier.chars();
        let letter = modifier.next()?;
        return modifier.next().is_none().then(|| Some((index.parse().ok()?, Some(letter), rest)))?;
    }
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    Some((rest[..digits].parse().ok()?, None, &rest[digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(template: &str) -> Instruction {
        match parse(template).expect(template).as_slice() {
            [Statement::Instruction(instruction)] => instruction.clone(),
            other => panic!("{template}: {other:?}"),
        }
    }

    #[test]
    fn registers_have_names_for_each_size() {
        let is = |name, number, bits| assert_eq!(register(name), Some(Register { number, bits }), "{name}");
        is("rax", 0, 64);
        is("ecx", 1, 32);
        is("dx", 2, 16);
        is("bl", 3, 8);
        is("dil", 7, 8);
        is("r8", 8, 64);
        is("r15d", 15, 32);
        is("r9b", 9, 8);
        for name in ["ah", "xmm0", "r16", "r8x", "eflags", "cr0", "st"] {
            assert_eq!(register(name), None, "{name}");
        }
    }

    #[test]
    fn a_prefix_may_be_a_statement() {
        for template in ["lock; xaddl $0, $1", "lock\n\txaddl $0,$1\n", "lock ; ; xaddl $0, $1 # all of it"] {
            let instruction = one(template);
            assert!(instruction.is_locked && instruction.name == "xaddl", "{template}");
            assert_eq!(instruction.arguments, [Argument::Operand(0, None), Argument::Operand(1, None)]);
        }
        assert_eq!(parse("rep; nop").map(|it| it.len()), Ok(2), "a hint, and nothing");
        assert_eq!(one("rep nop").name, "pause");
        assert_eq!(parse("lock"), Err("lock".to_owned()));
    }

    #[test]
    fn arguments_are_operands_registers_numbers_and_memory() {
        let argument = |text| argument(text).expect(text);
        assert_eq!(argument("${2:b}"), Argument::Operand(2, Some('b')));
        assert_eq!(argument("$$-0x10"), Argument::Immediate(Number::Value(-16)));
        assert_eq!(argument("$$${3:c}"), Argument::Immediate(Number::Operand(3)));
        assert_eq!(argument("%fs:0"), Argument::ThreadPointer(0));
        let stack = Base::Register(Register { number: STACK_POINTER, bits: 64 });
        assert_eq!(argument("(%rsp)"), Argument::Memory(plain(stack)));
        let eight = Memory { offset: Number::Value(8), ..plain(Base::Operand(4)) };
        for text in ["8($4)", "8+$4", "${4:H}", "$4+8"] {
            assert_eq!(argument(text), Argument::Memory(eight.clone()), "{text}");
        }
        let Argument::Memory(memory) = argument("-4($0,%rcx,2)") else { panic!("memory") };
        assert_eq!((memory.offset, memory.index), (Number::Value(-4), Some((Base::Register(CX), 2))));
        for text in ["x(%rip)", "%ah", "$$x", "%gs:0", "$$010", "*%rax", "(%eax)"] {
            assert_eq!(super::argument(text), None, "{text}");
        }
    }

    #[test]
    fn labels_and_alternatives() {
        let statements = parse("1: $(pause$|nop$); jne 1b\n.Lend${:uid}: mfence").expect("is understood");
        let names: Vec<&str> = statements
            .iter()
            .map(|statement| match statement {
                Statement::Label(name) => name.as_str(),
                Statement::Instruction(instruction) => instruction.name.as_str(),
            })
            .collect();
        assert_eq!(names, ["1", "pause", "jne", ".Lend${:uid}", "mfence"]);
        assert_eq!(parse(".byte 0x90"), Err(".byte 0x90".to_owned()));
        assert_eq!(parse("rep movsb"), Err("rep movsb".to_owned()));
    }
}
