//! From text to tokens.
//!
//! A test is three languages in one file: the initial state, C, and the condition. They share their tokens but for one
//! thing: `(*` starts a comment outside of the processes, and is C inside. So the lexer knows where a process begins (a
//! name `P0` outside of all braces) and where its body ends.

use crate::error::Problem;
use crate::source::At;

/// A token and where it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) at: At,
    pub(crate) kind: TokenKind<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind<'a> {
    Name(&'a str),
    /// As written, with its suffixes.
    Number(&'a str),
    /// Operators and punctuation.
    Sign(&'static str),
    End,
}

/// A problem and where it is.
pub(crate) type Located = (Problem, At);

/// Longer ones first.
const SIGNS: [&str; 50] = [
    "<<=", ">>=", "/\\", "\\/", "=>", "<>", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "++", "--", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->", "(", ")", "{", "}", "[", "]", ";", ":", ",", "=", "<",
    ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "?", ".", "#",
];

/// All tokens from `start` on; the last one is `End`.
pub(crate) fn tokens(text: &str, start: usize) -> Result<Vec<Token<'_>>, Located> {
    let mut lexer = Lexer { text, position: start, braces: Vec::new(), in_process: false };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next()?;
        lexer.follow(token)?;
        tokens.push(token);
        if token.kind == TokenKind::End {
            return Ok(tokens);
        }
    }
}

/// `P12` is process 12.
pub(crate) fn process_number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix('P')?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[derive(Debug)]
struct Lexer<'a> {
    text: &'a str,
    position: usize,
    /// Where the braces that are open were opened.
    braces: Vec<At>,
    in_process: bool,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    fn at(&self) -> At {
        At(self.position as u32)
    }

    fn next(&mut self) -> Result<Token<'a>, Located> {
        self.position +=
            blank(self.rest(), !self.in_process).map_err(|(problem, at)| self.moved(problem, at))?;
        let (at, rest) = (self.at(), self.rest());
        let kind = match rest.chars().next() {
            None => TokenKind::End,
            Some(c) if c.is_ascii_alphabetic() || c == '_' => TokenKind::Name(self.take_word()),
            Some(c) if c.is_ascii_digit() => TokenKind::Number(self.take_word()),
            Some(c) => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign = sign.ok_or((Problem::Character(c), at))?;
                self.position += sign.len();
                TokenKind::Sign(sign)
            }
        };
        Ok(Token { at, kind })
    }

    fn moved(&self, problem: Problem, at: usize) -> Located {
        (problem, At((self.position + at) as u32))
    }

    fn take_word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.position += end;
        &rest[..end]
    }

    /// Find out which of the languages the next token is in.
    fn follow(&mut self, token: Token<'a>) -> Result<(), Located> {
        match token.kind {
            TokenKind::Name(name) if self.braces.is_empty() && process_number(name).is_some() => {
                // The parameters are C already. In the condition a `P0:r0` is a register.
                self.in_process = !self.rest().trim_start().starts_with(':');
            }
            TokenKind::Sign("{") => self.braces.push(token.at),
            TokenKind::Sign("}") => {
                self.braces.pop();
                self.in_process &= !self.braces.is_empty();
            }
            TokenKind::End => {
                // The innermost one: the outer ones may only be open because of it.
                if let Some(&open) = self.braces.last() {
                    return Err((Problem::OpenBrace, open));
                }
            }
            TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Sign(_) => {}
        }
        Ok(())
    }
}

/// How many bytes of blanks and comments `text` starts with. `nested`: `(* … *)` is a comment, too.
pub(crate) fn blank(text: &str, nested: bool) -> Result<usize, (Problem, usize)> {
    let mut position = 0;
    loop {
        let rest = &text[position..];
        let comment = match rest.as_bytes() {
            [b'/', b'/', ..] => Ok(rest.find('\n').unwrap_or(rest.len())),
            [b'/', b'*', ..] => rest[2..].find("*/").map(|end| end + 4).ok_or(Problem::OpenComment("*/")),
            [b'(', b'*', ..] if nested => nested_comment(rest).ok_or(Problem::OpenComment("*)")),
            [byte, ..] if byte.is_ascii_whitespace() => Ok(1),
            _ => return Ok(position),
        };
        position += comment.map_err(|problem| (problem, position))?;
    }
}

/// The length of a `(* … (* … *) … *)`; they nest.
fn nested_comment(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut position = 0;
    loop {
        let rest = &text.as_bytes()[position..];
        let (step, change) = match rest {
            [b'(', b'*', ..] => (2, 1),
            [b'*', b')', ..] => (2, -1),
            [_, ..] => (1, 0),
            [] => return None,
        };
        position += step;
        depth = depth.checked_add_signed(change)?;
        if depth == 0 {
            return Some(position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<String> {
        let tokens = tokens(text, 0).expect("tokens");
        tokens.iter().map(|token| format!("{:?}", token.kind)).collect()
    }

    #[test]
    fn a_star_after_a_parenthesis_is_a_comment_outside_of_processes_only() {
        let all = kinds("{ (* a (* b *) c *) } P0(int *x) { f(*x); } (* c *) exists (P0:r=1 (* d *))");
        let stars = all.iter().filter(|kind| *kind == "Sign(\"*\")").count();
        assert_eq!(stars, 2, "{all:?}");
        assert!(!all.iter().any(|kind| "abcd".contains(kind.trim_matches(|c: char| !c.is_lowercase()))
            && kind.len() == "Name(\"a\")".len()));
    }

    #[test]
    fn long_signs_are_taken_whole() {
        assert_eq!(kinds("a/\\b")[1], "Sign(\"/\\\\\")");
        assert_eq!(kinds("a<<=b // c")[1], "Sign(\"<<=\")");
        assert_eq!(kinds("0x1F u").len(), 3);
    }

    #[test]
    fn what_does_not_end_is_reported_where_it_begins() {
        assert_eq!(tokens("a /* b", 0), Err((Problem::OpenComment("*/"), At(2))));
        assert_eq!(tokens("(* b", 0), Err((Problem::OpenComment("*)"), At(0))));
        assert_eq!(tokens("{ { }", 0), Err((Problem::OpenBrace, At(0))));
        assert_eq!(tokens("a é", 0), Err((Problem::Character('é'), At(2))));
    }
}
