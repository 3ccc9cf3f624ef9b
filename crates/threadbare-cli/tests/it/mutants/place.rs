//! What the place of an error is, in each kind of input.

use super::command::Answer;

/// Where an error says that it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// The file: it has no lines.
    File,
    /// The line that is wrong, unless it is the file as a whole.
    Line,
    /// The step of a replay string.
    Step,
}

/// Errors that are not about a line: something is missing, what LLVM checks after it has read all lines, or the reader ended.
const WHOLE: [&str; 5] =
    ["no function `main`", "not LLVM bitcode or text: ", " died of ", "clang crashed", "--memory allows"];

/// An error of this answer that does not say where it is.
pub(crate) fn misses(answer: &Answer, file: &str, place: Place) -> Option<String> {
    if answer.status != 2 {
        return nameless(answer, file);
    }
    // Clang says so after errors that have their places.
    let is_summary = |line: &&str| line.contains("too many errors emitted");
    let mut errors = answer.errors().filter(|line| !is_summary(line)).peekable();
    let has_place = |line: &str| match place {
        Place::File => line.contains(file),
        Place::Line if line.contains(file) && WHOLE.iter().any(|words| line.contains(words)) => true,
        Place::Line => has_line(line) || line.contains(file) && line.contains("line "),
        Place::Step => line.contains("replay") && line.contains('`'),
    };
    match errors.peek() {
        None => Some("no line of it is an error".to_owned()),
        Some(_) => errors.find(|line| !has_place(line)).map(|line| format!("no place: {line}")),
    }
}

/// A remark besides a result that does not say what it is about: the file, the options (a warning) or a row of the table.
fn nameless(answer: &Answer, file: &str) -> Option<String> {
    let has_name =
        |line: &str| line.contains(file) || line.starts_with("warning: ") || line.starts_with("difference: ");
    let first = answer.stderr.lines().next()?;
    (!has_name(first)).then(|| format!("no place: {first}"))
}

/// Does it begin with a name, a line and mostly a column (`t.c:3:5: error: …`)? The name may be that of a header.
fn has_line(error: &str) -> bool {
    let (before, _) = error.split_once("error: ").unwrap_or((error, ""));
    let place = before.trim_end_matches("fatal ").trim_end_matches(": ");
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    place.rsplit_once(':').is_some_and(|(name, last)| !name.is_empty() && number(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_place(status: i32, stderr: &str, place: Place) -> bool {
        let answer = Answer { status, stdout: String::new(), stderr: stderr.to_owned() };
        misses(&answer, "t.c", place).is_none()
    }

    #[test]
    fn errors_have_places() {
        assert!(has_place(
            2,
            "t.c:2:11: error: expected ';'\n  2 | return 0\n1 error generated.\n",
            Place::Line
        ));
        assert!(has_place(
            2,
            "In file included from t.c:1:\n/usr/x.h:3:1: fatal error: no type\n",
            Place::Line
        ));
        assert!(has_place(2, "error: t.c is no table: line 2: a quote\n", Place::Line));
        assert!(has_place(2, "error: t.c: no function `main`\n", Place::Line));
        assert!(has_place(2, "error: the replay string `0x`: `0x` is no step\n", Place::Step));
        assert!(has_place(0, "", Place::Line) && has_place(0, "t.c:1:1: warning: unused\n", Place::Line));
    }

    #[test]
    fn errors_without_places_are_noticed() {
        assert!(!has_place(2, "error: cannot read t.c: no text\n", Place::Line));
        assert!(!has_place(2, "error: no such order\n", Place::File));
        assert!(!has_place(2, "error: this does not fit\n", Place::Step));
        assert!(!has_place(2, "t.c:1:1: error: one\nerror: another\n", Place::Line));
        assert!(!has_place(2, "t.c:1:1: warning: unused\n", Place::Line));
        assert!(!has_place(0, "invalid checksum\n", Place::File));
    }
}
