//! Replay strings as users see them: `h1a2b3c4d:0*3-1*2`, the number of the program, model and options that they belong
//! to and the steps of `explore::replay`.

use thiserror::Error;

/// Why a text is no replay string of a program.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unfit {
    /// It has no number.
    #[error(
        "the replay string `{text}` does not say which program it belongs to: \
         run `threadbare verify` again for a new one"
    )]
    Unsigned {
        /// The text.
        text: String,
    },
    /// It has the number of another program.
    #[error(
        "the replay string `{text}` belongs to another program, model or options ({given}, and this is {here}): \
         give those that it was found with, or run `threadbare verify` again for a new one"
    )]
    Foreign {
        /// The text.
        text: String,
        /// The number that it has.
        given: String,
        /// The number of this program.
        here: String,
    },
}

/// The string for these steps. There may be none: a program can go wrong before its first event.
pub(crate) fn sign(fingerprint: u32, steps: &str) -> String {
    format!("{}:{steps}", head(fingerprint))
}

/// The steps of a string that belongs to this program, model and options.
pub(crate) fn steps(fingerprint: u32, text: &str) -> Result<&str, Unfit> {
    let Some((given, steps)) = text.split_once(':').filter(|(given, _)| is_head(given)) else {
        return Err(Unfit::Unsigned { text: text.to_owned() });
    };
    let here = head(fingerprint);
    if given != here {
        return Err(Unfit::Foreign { text: text.to_owned(), given: given.to_owned(), here });
    }
    Ok(steps)
}

fn head(fingerprint: u32) -> String {
    format!("h{fingerprint:08x}")
}

fn is_head(text: &str) -> bool {
    let digits = text.strip_prefix('h').unwrap_or_default();
    digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_fits_its_own_program_only() {
        let text = sign(0x1a2b_3c4d, "0*3-1*2");
        assert_eq!(text, "h1a2b3c4d:0*3-1*2");
        assert_eq!(steps(0x1a2b_3c4d, &text).expect("it fits"), "0*3-1*2");
        let other = steps(0xf, &text).expect_err("another program").to_string();
        assert!(
            other.contains("another program, model or options (h1a2b3c4d, and this is h0000000f)"),
            "{other}"
        );
        for text in ["0*3-1*2", "", "h1a2b3c4:0", "hnonsense:0", ":0"] {
            let error = steps(0x1a2b_3c4d, text).expect_err(text).to_string();
            assert!(
                error.contains("does not say which program") && error.contains("verify` again"),
                "{error}"
            );
        }
        assert_eq!(steps(1, &sign(1, "")).expect("it fits"), "");
    }
}
