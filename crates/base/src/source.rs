//! A place in the user's source.

use serde::{Deserialize, Serialize};
use std::fmt;

/// File, line and column, as the compiler's debug information gives them. Lines and columns count from 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The file, as the user named it.
    pub file: std::sync::Arc<str>,
    /// The line.
    pub line: u32,
    /// The column; 0 when it is not known.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
