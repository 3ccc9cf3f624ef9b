//! What is wrong with a trace: place, message, the line and a caret below it.

use base::{escaped, is_hidden};
use consistency::trace::{Fault, HEADER, What};

/// The most characters of a line that are shown.
const SHOWN: usize = 100;

/// The fault in words.
pub(super) fn in_words(file: &str, fault: &Fault) -> String {
    let (file, problem) = (escaped(file), escaped(&fault.to_string()));
    let Some(text) = &fault.text else {
        return format!("{file}:{}: error: {problem}", fault.line);
    };
    let column = text.get(..fault.span.start).map_or(0, |before| before.chars().count());
    let mut words = format!("{file}:{}:{}: error: {problem}", fault.line, column + 1);
    words += &excerpt(fault, text, column);
    if matches!(fault.what, What::NoHeader) {
        words += &format!("\n  = help: start the trace with the line `{HEADER}`");
    }
    words
}

/// The line, or a part of it that has the place, and carets below the place.
fn excerpt(fault: &Fault, text: &str, column: usize) -> String {
    let number = fault.line.to_string();
    let blank = " ".repeat(number.len());
    let first = column.saturating_sub(SHOWN / 2);
    // A tab stays a tab, so that the caret stays below its character; what a terminal would obey is not shown.
    let shown: String = text.chars().skip(first).take(SHOWN).map(printable).collect();
    let before = shown.chars().take(column - first);
    let padding: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let marked = text.get(fault.span.clone()).map_or(1, |word| word.chars().count());
    let carets = "^".repeat(marked.clamp(1, SHOWN - (column - first).min(SHOWN - 1)));
    format!("\n  {number} | {shown}\n  {blank} | {padding}{carets}")
}

fn printable(c: char) -> char {
    if is_hidden(c) { '\u{fffd}' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consistency::trace::{ReadError, read};

    fn fault(text: &str) -> String {
        match read(text.as_bytes()) {
            Err(ReadError::Fault(fault)) => in_words("t.trace", &fault),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_caret_is_below_its_word() {
        assert_eq!(
            fault("# threadbare trace 1\ne0\tt0 W acq x\n"),
            "t.trace:2:9: error: `acq` is no order of a W; there is: na, rlx, rel, sc\n  2 | e0\tt0 W acq x\n    \
             | \u{20} \t     ^^^"
        );
        let far = format!("# threadbare trace 1\ne0 t0 W rel {} nonsense\n", "é".repeat(300));
        let far = fault(&far);
        assert!(far.lines().all(|line| line.chars().count() < 130), "{far}");
        assert!(far.ends_with("^^^^^^^^") && far.contains(":2:314:"), "{far}");
        assert!(fault("e0 t0 W rel x\n").contains("help: start the trace with"));
    }
}
