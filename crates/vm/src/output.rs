//! Output: the text is dropped, but the memory that it comes from is read.
//!
//! Strings are read byte by byte. Of a constant format the strings that it asks for are read one after the other; the
//! instruction's value is the number of the string, below which `strings` puts the byte that was just read.
//!
//! Not modelled: formats that other threads could change, or that come with a `va_list`, if they ask for strings; `%n`,
//! wide strings and numbered arguments. The bytes that `fwrite` reads may be undefined, as the padding of structs is.

use crate::access::{Purpose, Reach};
use crate::bytecode::List;
use crate::machine::Machine;
use crate::state::{Pending, Progress, ThreadState};
use crate::step::{Flow, ask, fault, refuse};
use base::{ReadOrder, Value};
use program::{FaultKind, Request};

/// A string that a format asks for. Arguments are counted from the one after the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Text {
    argument: u16,
    precision: Precision,
}

/// How much of a string is written at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Precision {
    /// All of it.
    None,
    /// That many bytes.
    Bytes(u64),
    /// As many bytes as this argument says.
    Argument(u16),
}

impl Machine {
    /// `printf`: the format is the argument with this number.
    pub(crate) fn output_format(&self, state: &mut ThreadState, format: u16, arguments: List) -> Flow {
        let address = self.format_argument(state, arguments, format)?;
        let Some(bytes) = self.const_globals.string(address) else {
            return self.read_format(
                state,
                address,
                "a format that is not constant and asks for more than numbers",
            );
        };
        let texts = match texts(bytes) {
            Ok(texts) => texts,
            Err(what) => return refuse(format!("{what} is not modelled")),
        };
        loop {
            let number = state.progress.value >> (8 * state.progress.phase);
            let Some(text) = texts.get(number as usize) else { return Flow::Continue(()) };
            let string = self.format_argument(state, arguments, format + 1 + text.argument)?;
            let limit = match text.precision {
                Precision::None => None,
                Precision::Bytes(bytes) => Some(bytes),
                Precision::Argument(i) => {
                    let precision = self.format_argument(state, arguments, format + 1 + i)?;
                    // A negative one counts as none.
                    u64::try_from((precision as u32).cast_signed()).ok()
                }
            };
            self.read_string(state, string, limit)?;
            state.progress = Progress { value: number + 1, ..Progress::default() };
        }
    }

    fn format_argument(&self, state: &ThreadState, arguments: List, i: u16) -> Flow<Value> {
        match self.function(state).operand(arguments, i) {
            Some(from) => Flow::Continue(self.get(state, from)),
            None => fault(FaultKind::InvalidAccess, "a format that asks for more arguments than there are"),
        }
    }

    /// `vprintf`.
    pub(crate) fn output_list(&self, state: &mut ThreadState, format: u64) -> Flow {
        self.read_format(state, format, "a format that comes with a `va_list` and asks for more than numbers")
    }

    /// Read a format. The instruction's value is 1 inside a conversion and 0 outside.
    fn read_format(&self, state: &mut ThreadState, address: u64, otherwise: &str) -> Flow {
        loop {
            let Progress { phase, done, value } = state.progress;
            if phase == 0 {
                self.byte(state, address.wrapping_add(u64::from(done)))?;
                continue;
            }
            let inside = match (value >> 8 != 0, value as u8) {
                (_, 0) => return Flow::Continue(()),
                (inside, b'%') => !inside,
                (true, b's' | b'S' | b'n') => return refuse(format!("{otherwise} is not modelled")),
                (true, byte) => !byte.is_ascii_alphabetic() || is_length(byte),
                (false, _) => false,
            };
            state.progress = Progress { phase: 0, done: done + 1, value: Value::from(inside) };
        }
    }

    /// `fwrite`: plain reads of naturally aligned pieces, as a copy makes them.
    pub(crate) fn output_bytes(&self, state: &mut ThreadState, address: u64, len: u64) -> Flow {
        let done = u64::from(state.progress.done);
        if done == len || self.reach(state, address, len, Purpose::Read)? != Reach::Shared {
            return Flow::Continue(());
        }
        let at = self.piece_at(address + done, len - done);
        ask(state, Pending::StorePart(at.size), Request::Read { at, order: ReadOrder::NotAtomic })
    }
}

/// Whether it is a length modifier, or a flag that is a letter.
fn is_length(byte: u8) -> bool {
    matches!(byte, b'h' | b'l' | b'L' | b'q' | b'j' | b'z' | b'Z' | b't' | b'w' | b'I')
}

/// The strings that a format asks for, or a conversion of it that is not modelled.
fn texts(format: &[u8]) -> Result<Vec<Text>, &'static str> {
    let (mut texts, mut argument) = (Vec::new(), 0u16);
    let mut bytes = format.iter().copied();
    let mut take = || {
        argument += 1;
        argument - 1
    };
    while bytes.any(|byte| byte == b'%') {
        let (mut precision, mut wide) = (Precision::None, false);
        loop {
            match bytes.next() {
                Some(b'$') => return Err("a format with numbered arguments (`$`)"),
                Some(b'*') if precision == Precision::None => {
                    take();
                }
                Some(b'*') => precision = Precision::Argument(take()),
                Some(b'.') => precision = Precision::Bytes(0),
                Some(digit @ b'0'..=b'9') => {
                    if let Precision::Bytes(bytes) = &mut precision {
                        *bytes = bytes.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
                    }
                }
                Some(b'l') => wide = true,
                Some(byte) if byte != b'%' && !byte.is_ascii_alphabetic() || is_length(byte) => {}
                Some(b'n') => return Err("%n"),
                Some(b'S') => return Err("%S"),
                Some(b's') if wide => return Err("%ls"),
                Some(b's') => break texts.push(Text { argument: take(), precision }),
                Some(b'%' | b'm') | None => break,
                Some(_) => {
                    take();
                    break;
                }
            }
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::{Precision, texts};

    #[test]
    fn a_format_asks_for_strings() {
        let strings = |format: &str| -> Vec<(u16, Precision)> {
            texts(format.as_bytes()).unwrap().iter().map(|text| (text.argument, text.precision)).collect()
        };
        let all = Precision::None;
        assert_eq!(strings("hello, 100 %%s %m%d %"), []);
        assert_eq!(strings("%s"), [(0, all)]);
        assert_eq!(strings("%d%% %-+8.3lf %zu %s %c%s"), [(3, all), (5, all)]);
        assert_eq!(strings("%.12s%10s"), [(0, Precision::Bytes(12)), (1, all)]);
        assert_eq!(strings("%.s"), [(0, Precision::Bytes(0))]);
        assert_eq!(strings("%*s%.*s%s"), [(1, all), (3, Precision::Argument(2)), (4, all)]);
    }

    #[test]
    fn what_is_not_modelled_is_told() {
        for (format, what) in [
            ("%d%n", "%n"),
            ("%hhn", "%n"),
            ("%ls", "%ls"),
            ("%S", "%S"),
            ("%1$s", "a format with numbered arguments (`$`)"),
        ] {
            assert_eq!(texts(format.as_bytes()), Err(what));
        }
    }
}
