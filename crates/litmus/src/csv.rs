//! Tables as text: comma-separated values, quoted as RFC 4180 says.

use csv::{ReaderBuilder, StringRecord, Writer};

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
/// spreadsheets write it, is no part of the first field. A carriage return ends a row, too, also without a newline.
pub fn read(text: &str) -> Result<Vec<(usize, Vec<String>)>, CsvError> {
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let (mut rows, mut record) = (Vec::new(), StringRecord::new());
    loop {
        // Where the crate goes on reading. It leaves out the mark, and empty lines.
        let at = reader.position().byte() as usize;
        let rest = if at == 0 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { &text[at..] };
        let raw = rest.trim_start_matches(['\n', '\r']);
        let line = reader.position().line() as usize + newlines(&rest[..rest.len() - raw.len()]);
        if !reader.read_record(&mut record).expect("it is text, and rows may have any length") {
            return Ok(rows);
        }
        check_quotes(raw, line, &record)?;
        let row: Vec<String> = record.iter().map(str::to_owned).collect();
        if row != [""] {
            rows.push((line, row));
        }
    }
}

/// The crate reads quotes in any place. They are right iff every field, written again, is what stands in the text.
fn check_quotes(raw: &str, mut line: usize, record: &StringRecord) -> Result<(), CsvError> {
    let mut rest = raw;
    for field in record {
        let is_quoted = rest.starts_with('"');
        let written = if is_quoted { quoted(field) } else { field.to_owned() };
        let same = rest.bytes().zip(written.bytes()).take_while(|(a, b)| a == b).count();
        if is_quoted && same == rest.len() && same < written.len() {
            return Err(CsvError::Open(line));
        }
        line += newlines(&written[..written.floor_char_boundary(same)]);
        if same < written.len() || (!is_quoted && field.contains('"')) {
            return Err(CsvError::Quote(line));
        }
        rest = rest[same..].strip_prefix(',').unwrap_or_default();
    }
    Ok(())
}

fn newlines(text: &str) -> usize {
    text.matches('\n').count()
}

fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

/// A row as a line.
pub fn row<S: AsRef<str>>(fields: &[S]) -> String {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(fields.iter().map(|field| field.as_ref())).expect("a vector takes everything");
    let bytes = writer.into_inner().expect("a vector takes everything");
    String::from_utf8(bytes).expect("made of texts")
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
        assert_eq!(read("\n\"b\nß\"ß,d"), Err(CsvError::Quote(3)));
        assert_eq!(read("a,\"b\nc\",d\"\n"), Err(CsvError::Quote(2)));
        assert_eq!(read("\"a\",\"b\"\""), Err(CsvError::Open(1)));
        assert_eq!(read("\"b\nc\",\"d\n\n"), Err(CsvError::Open(2)));
    }
}
