//! Tables as text: comma-separated values, quoted as RFC 4180 says.

/// Why a text is no table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CsvError {
    /// A quote inside of a field that has none around it, or something after the closing one.
    #[error("line {0}: a quote in the middle of a field")]
    Quote(usize),
    /// The text ends inside of quotes.
    #[error("line {0}: this field is never closed")]
    Open(usize),
}

/// The rows of a text, each with the line it starts in. Empty lines are no rows, and a byte order mark in front, as
/// spreadsheets write it, is no part of the first field.
pub fn read(text: &str) -> Result<Vec<(usize, Vec<String>)>, CsvError> {
    let mut rows = Vec::new();
    let mut reader = Reader { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1 };
    while !reader.rest.is_empty() {
        let line = reader.line;
        let row = reader.row()?;
        if row != [""] {
            rows.push((line, row));
        }
    }
    Ok(rows)
}

#[derive(Debug)]
struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl Reader<'_> {
    fn row(&mut self) -> Result<Vec<String>, CsvError> {
        let mut fields = Vec::new();
        loop {
            fields.push(if self.rest.starts_with('"') { self.quoted()? } else { self.plain()? });
            let more = self.rest.starts_with(',');
            let end = self.rest.find('\n').map_or(self.rest.len(), |end| end + 1);
            self.rest = &self.rest[if more { 1 } else { end }..];
            if !more {
                self.line += 1;
                return Ok(fields);
            }
        }
    }

    fn plain(&mut self) -> Result<String, CsvError> {
        let end = self.rest.find([',', '\n']).unwrap_or(self.rest.len());
        let field = self.rest[..end].trim_end_matches('\r');
        if field.contains('"') {
            return Err(CsvError::Quote(self.line));
        }
        let field = field.to_owned();
        self.rest = &self.rest[end..];
        Ok(field)
    }

    /// A field in quotes; two quotes inside of it are one.
    fn quoted(&mut self) -> Result<String, CsvError> {
        let (start, mut field) = (self.line, String::new());
        loop {
            let inside = &self.rest[1..];
            let end = inside.find('"').ok_or(CsvError::Open(start))?;
            field += &inside[..end];
            self.line += inside[..end].matches('\n').count();
            self.rest = &inside[end + 1..];
            if !self.rest.starts_with('"') {
                break;
            }
            field.push('"');
        }
        if !(self.rest.is_empty() || self.rest.starts_with([',', '\n', '\r'])) {
            return Err(CsvError::Quote(self.line));
        }
        Ok(field)
    }
}

/// A row as a line.
pub fn row<S: AsRef<str>>(fields: &[S]) -> String {
    let fields: Vec<String> = fields.iter().map(|field| quoted(field.as_ref())).collect();
    fields.join(",") + "\n"
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let rows = [vec!["a", "b,c", "d\"e"], vec!["", "two\nlines", " "], vec!["x", "", ""]];
        let text: String = rows.iter().map(|fields| row(fields)).collect();
        assert_eq!(text.lines().next(), Some("a,\"b,c\",\"d\"\"e\""));
        let read: Vec<(usize, Vec<String>)> = read(&text).expect("a table");
        let lines: Vec<usize> = read.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 2, 4]);
        assert!(read.iter().map(|(_, row)| row).eq(rows.iter()), "{read:?}");
    }

    #[test]
    fn line_ends_of_other_systems_and_empty_lines_are_no_fields() {
        let rows = read("a,b\r\n\r\n\"c\",d\r\n").expect("a table");
        assert_eq!(rows, [(1, vec!["a".to_owned(), "b".into()]), (3, vec!["c".to_owned(), "d".into()])]);
        assert_eq!(read("\u{feff}a,b\n"), read("a,b\n"));
    }

    #[test]
    fn wrong_quotes_are_errors_with_their_line() {
        assert_eq!(read("a\nb\"c"), Err(CsvError::Quote(2)));
        assert_eq!(read("a\n\"b"), Err(CsvError::Open(2)));
        assert_eq!(read("\"b\"c"), Err(CsvError::Quote(1)));
    }
}
