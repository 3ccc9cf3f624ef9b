//! Places in the user's source.

use crate::id::Site;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// File, line and column, as the compiler's debug information gives them. Lines and columns count from 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The file, as the user named it.
    pub file: Arc<str>,
    /// The line.
    pub line: u32,
    /// The column; 0 when it is not known.
    pub column: u32,
}

impl Place {
    /// Whether it is in a file that came with the system, and not with the program.
    pub fn is_system(&self) -> bool {
        ["/usr/include/", "/usr/lib/", "/usr/local/include/"].iter().any(|start| self.file.starts_with(start))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Where an instruction comes from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct SiteInfo {
    /// The place in the user's source; for code inlined from a system header, the place of the call.
    pub place: Option<Place>,
    /// The source function.
    pub function: Arc<str>,
    /// The object accessed there, as the user would name it (`x`, `q.head`, `a[i]`); empty if not known.
    pub operand: Arc<str>,
    /// Whether it is a plain access that the source calls `volatile`.
    pub volatile: bool,
    /// The site of the call that the code was inlined at.
    pub caller: Option<Site>,
    /// The object whose life begins there, a position in the front end's table of objects.
    pub object: Option<u32>,
}

impl SiteInfo {
    /// The same apart from calls and objects: instructions that are the same to the user.
    #[must_use]
    pub fn instruction(&self) -> SiteInfo {
        SiteInfo { caller: None, object: None, ..self.clone() }
    }
}
