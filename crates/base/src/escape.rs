//! Text from programs and file names, as it may be printed.
//!
//! Programs come from strangers, and so do their names for things. A terminal obeys some characters instead of showing
//! them, and others hide text or turn it around, so that it reads as something else. These become escapes as in Rust:
//! `\u{1b}`, `\n`. Backslashes stay as they are: the text is for people, not to be read back.

/// A character that a terminal obeys instead of showing it, or that hides or reorders the text beside it. A tab is none.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\t' => false,
        // Marks, embeddings, overrides and isolates of writing directions; ends of lines and paragraphs.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => true,
        // Characters without a width: joiners, operators, marks of byte order, annotations, tags.
        '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{feff}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        // Letters without a shape.
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => true,
        c => c.is_control(),
    }
}

/// The text on one line, with nothing hidden in it.
pub fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            result.extend(c.escape_default());
        } else {
            result.push(c);
        }
    }
    result
}

/// The text with nothing hidden in its lines.
pub fn escaped_lines(text: &str) -> String {
    let visible = |line: &str| escaped(line.strip_suffix('\r').unwrap_or(line));
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_character_is_escaped_but_the_tab() {
        for c in (0..=0x9f).filter_map(char::from_u32) {
            let is_control = c < ' ' || ('\u{7f}'..='\u{9f}').contains(&c);
            assert_eq!(is_hidden(c), is_control && c != '\t', "{c:?}");
        }
        assert_eq!(escaped("\u{1b}[31m\u{1b}]0;x\u{7}\r\n\u{9b}2J\0\u{7f}"), {
            r"\u{1b}[31m\u{1b}]0;x\u{7}\r\n\u{9b}2J\u{0}\u{7f}"
        });
        assert_eq!(escaped("a\tb"), "a\tb");
    }

    #[test]
    fn what_turns_text_around_or_hides_it_is_escaped() {
        let directions = ['\u{61c}', '\u{200e}', '\u{200f}'].into_iter();
        let directions = directions.chain('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}');
        for c in directions.chain(['\u{200b}', '\u{200c}', '\u{200d}', '\u{2028}', '\u{2029}', '\u{feff}']) {
            assert_eq!(escaped(&format!("a{c}b")), format!("a\\u{{{:x}}}b", u32::from(c)));
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in [
            "",
            "x = \"\\n\\033\";",
            "naïve — größer",
            "変数\u{3000}名",
            "e\u{301}",
            "שלום",
            "🦀",
            "\u{fffd}",
        ] {
            assert_eq!(escaped(text), text);
            assert_eq!(escaped_lines(text), text);
        }
    }

    #[test]
    fn escaping_again_changes_nothing() {
        let once = escaped("\u{1b}[0m\n\u{202e}");
        assert_eq!(escaped(&once), once);
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(escaped_lines("a\r\nb\u{1b}\n\nc\r\rd\n"), "a\nb\\u{1b}\n\nc\\r\\rd\n");
        assert_eq!(escaped_lines("a"), "a");
    }
}
