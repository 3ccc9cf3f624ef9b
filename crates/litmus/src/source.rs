//! The text of a test, and places in it.

use base::Place;
use std::sync::Arc;

/// A place in the text: the number of bytes before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub(crate) struct At(pub(crate) u32);

/// A text with its lines found once: a long one has many places.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    file: Arc<str>,
    pub(crate) text: &'a str,
    /// Where each line starts.
    lines: Vec<u32>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(file: &str, text: &'a str) -> Source<'a> {
        let starts = text.match_indices('\n').map(|(end, _)| end as u32 + 1);
        Source { file: file.into(), text, lines: std::iter::once(0).chain(starts).collect() }
    }

    /// File, line and column, which counts bytes as compilers do.
    pub(crate) fn place(&self, At(at): At) -> Place {
        let line = self.lines.partition_point(|&start| start <= at);
        let start = self.lines[line - 1];
        Place { file: Arc::clone(&self.file), line: line as u32, column: at - start + 1 }
    }

    /// The line, without its end.
    pub(crate) fn line(&self, at: At) -> &'a str {
        let start = self.lines[self.place(at).line as usize - 1] as usize;
        self.text[start..].lines().next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_from_one() {
        let source = Source::new("t", "C t\n\n{ x }");
        let place = |at| {
            let place = source.place(At(at));
            (place.line, place.column)
        };
        assert_eq!(
            [place(0), place(3), place(4), place(5), place(7)],
            [(1, 1), (1, 4), (2, 1), (3, 1), (3, 3)]
        );
        assert_eq!((source.line(At(4)), source.line(At(9))), ("", "{ x }"));
    }
}
