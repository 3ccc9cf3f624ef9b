//! Text inside of other languages: what the user's names and messages become in XML, HTML and DOT.
//!
//! Names come from programs that nobody has looked at, so they may have any character. What no reader could see, or
//! what would turn the text around it, is shown as the replacement character.

use base::is_hidden;

/// For XML and HTML, between tags and inside of quoted attributes.
pub(crate) fn markup(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars().map(visible) {
        match c {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            '\'' => result.push_str("&#39;"),
            c => result.push(c),
        }
    }
    result
}

/// A quoted string of DOT. Its labels know escapes (`\N` is the name of the node) and entities (`&lt;`).
pub(crate) fn dot_string(lines: &[String], end: &str) -> String {
    let mut result = String::from("\"");
    for line in lines {
        for c in line.chars().map(visible) {
            match c {
                '\\' => result.push_str("\\\\"),
                '"' => result.push_str("\\\""),
                '&' => result.push_str("&amp;"),
                '\n' => result.push(' '),
                c => result.push(c),
            }
        }
        result.push_str(end);
    }
    result.push('"');
    result
}

/// Instead of hidden characters, and of those that XML has not, a replacement.
fn visible(c: char) -> char {
    match c {
        '\n' => c,
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c if is_hidden(c) => '\u{fffd}',
        c => c,
    }
}

/// How many columns of a fixed-width font it takes.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

/// Roughly: East Asian scripts and emoji.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0x1f300..=0x1faff | 0x20000..=0x3fffd)
}

/// The text, cut with an ellipsis if it takes more columns than these.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut taken = 0;
    let fits = |c: &char| {
        taken += if is_wide(*c) { 2 } else { 1 };
        taken < most
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// The text in lines of at most so many columns, cut at blanks where there are any.
pub(crate) fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        for piece in pieces(word, most) {
            let line = lines.last_mut().expect("there always is a line");
            if line.is_empty() {
                *line = piece;
            } else if columns(line) + 1 + columns(&piece) <= most {
                line.push(' ');
                line.push_str(&piece);
            } else {
                lines.push(piece);
            }
        }
    }
    lines
}

/// A word that is longer than a line, in parts.
fn pieces(word: &str, most: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for c in word.chars() {
        let last = pieces.last_mut().expect("there always is a piece");
        if columns(last) + columns(c.encode_utf8(&mut [0; 4])) > most && !last.is_empty() {
            pieces.push(c.to_string());
        } else {
            last.push(c);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_is_markup() {
        assert_eq!(markup("</g><script>'\"&"), "&lt;/g&gt;&lt;script&gt;&#39;&quot;&amp;");
        assert_eq!(markup("a\u{0}b\u{202e}c\u{7f}\u{ffff}"), "a\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}");
    }

    #[test]
    fn nothing_of_a_name_is_dot() {
        let text = dot_string(&["a\"];b\\N &lt;\n".to_owned()], "\\l");
        assert_eq!(text, r#""a\"];b\\N &amp;lt; \l""#);
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdefg", 6), "abcde…");
        assert_eq!(wrapped("ab cd efghijk", 5), ["ab cd", "efghi", "jk"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("日本", 2), ["日", "本"]);
    }
}
