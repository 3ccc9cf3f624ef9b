//! Statements: lines of C, with other statements between the first one and the last one.

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// The text before the statements inside; all of it if there are none.
    pub open: String,
    /// The statements inside.
    pub body: Vec<Statement>,
    /// The text after them.
    pub close: String,
}

impl Statement {
    /// One line.
    pub(super) fn line(text: impl Into<String>) -> Statement {
        Statement { open: text.into(), body: Vec::new(), close: String::new() }
    }

    /// A line, others, and a line that closes it.
    pub(super) fn block(
        open: impl Into<String>,
        body: Vec<Statement>,
        close: impl Into<String>,
    ) -> Statement {
        Statement { open: open.into(), body, close: close.into() }
    }

    /// Whether it, or a statement inside, mentions this name.
    pub(super) fn mentions(&self, name: &str) -> bool {
        mentions(&self.open, name)
            || mentions(&self.close, name)
            || self.body.iter().any(|inner| inner.mentions(name))
    }

    /// Write it, indented.
    pub(super) fn write(&self, to: &mut String, depth: usize) {
        let indent = "  ".repeat(depth);
        let mut lines = |text: &str| text.lines().for_each(|line| *to += &format!("{indent}{line}\n"));
        lines(&self.open);
        for inner in &self.body {
            inner.write(to, depth + 1);
        }
        let mut lines = |text: &str| text.lines().for_each(|line| *to += &format!("{indent}{line}\n"));
        lines(&self.close);
    }
}

/// Whether the text mentions this name, as a word.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + name.len()..].chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
