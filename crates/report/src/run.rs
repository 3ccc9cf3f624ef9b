//! What the caller did: the part of a report that the outcome does not know.

use base::is_hidden;
use model::Rules;

/// A run of a command.
#[derive(Clone, Debug)]
pub struct Run {
    /// The file or files, as the user named them.
    pub program: String,
    /// The same, ready for a shell.
    pub files: String,
    /// The model.
    pub model: &'static Rules,
    /// Which executions count as the same: `co` or `rf`.
    pub equivalence: &'static str,
    /// The options that a replay needs besides the file and `--replay` (`--model ra --unroll 3`), ready for a shell.
    pub options: String,
    /// The compiler's flags, ready for a shell; empty if there are none.
    pub cflags: String,
    /// Seconds spent on compiling and lowering.
    pub frontend_seconds: f64,
    /// Seconds spent on exploring.
    pub exploration_seconds: f64,
    /// The most memory that the process ever had.
    pub peak_memory_bytes: u64,
}

impl Run {
    /// The command that shows the execution of `replay` again.
    pub fn replay_command(&self, replay: &str) -> String {
        let mut words = vec!["threadbare verify".to_owned(), self.files.clone()];
        if !self.options.is_empty() {
            words.push(self.options.clone());
        }
        words.push(format!("--replay {}", shell_word(replay)));
        if !self.cflags.is_empty() {
            words.push(format!("-- {}", self.cflags));
        }
        words.join(" ")
    }
}

/// The word, in quotes if a shell would read it otherwise, and with escapes if a terminal would.
pub fn shell_word(word: &str) -> String {
    if word.contains(is_hidden) {
        return format!("$'{}'", word.chars().map(escaped_in_quotes).collect::<String>());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,+:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A character inside of `$'…'`, of which shells read bytes.
fn escaped_in_quotes(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\'' | '\\' => format!("\\{c}"),
        c if is_hidden(c) => c.to_string().bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(shell_word("-DN=3"), "-DN=3");
        assert_eq!(shell_word("-DF(x)=x"), "'-DF(x)=x'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("a'\\\u{1b}[1m\n\u{202e}\t"), "$'a\\'\\\\\\x1b[1m\\n\\xe2\\x80\\xae\t'");
    }
}
