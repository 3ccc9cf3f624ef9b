//! Subtrees: parts of an exploration, as values.
//!
//! The exploration is a tree of graphs, visited in depth-first order. A graph is named by the [`Path`] that leads to it: at each
//! graph on the way, the number of the child that is visited (`core/trail.rs`). A [`Subtree`] is an interval of the depth-first order: from some
//! graph on, or from what comes after everything below it, to the last child of one of the graphs on its path. A whole
//! exploration is one, and what an explorer has not explored yet is one at any time; it can be cut in two anywhere.
//!
//! A path has its meaning under one ledger: what a pass decides is a function of the program, the options, the ledger and the
//! path (`ledger.rs`), so a fresh explorer that walks down a path is where the first one was.
//!
//! Cost: a walk costs the length of one execution, times the children beside the path.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The way from the root to a graph: the number of the child at each graph.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Path(pub(crate) Vec<u32>);

/// A part of an exploration.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Subtree {
    /// The graph where it begins.
    pub(crate) path: Path,
    /// So many graphs at the beginning of the path have nothing left that belongs to it.
    pub(crate) floor: usize,
    /// It begins after everything below that graph.
    pub(crate) is_after: bool,
}

impl Subtree {
    /// Where it begins, to be compared: subtrees of one pass do not overlap, and those that begin earlier are explored earlier.
    pub fn start(&self) -> Path {
        let mut start = self.path.clone();
        if let (true, Some(last)) = (self.is_after, start.0.last_mut()) {
            *last += 1;
        }
        start
    }

    /// Whether it is the whole exploration.
    pub fn is_whole(&self) -> bool {
        *self == Subtree::default()
    }
}

/// `0/0*3.2.1`: the floor, and the numbers of the children, those in a row that are equal only once; with `>` at its end if it
/// begins after the graph.
impl fmt::Display for Subtree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/", self.floor)?;
        for (i, run) in self.path.0.chunk_by(|a, b| a == b).enumerate() {
            let dot = if i > 0 { "." } else { "" };
            match run.len() {
                1 => write!(f, "{dot}{}", run[0])?,
                times => write!(f, "{dot}{}*{times}", run[0])?,
            }
        }
        f.write_str(if self.is_after { ">" } else { "" })
    }
}

/// A text that is no subtree.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{0}` is no subtree: expected numbers such as `0/0*3.2.1`")]
pub struct BadSubtree(String);

/// More graphs than this are on no path.
const LONGEST: usize = 100_000_000;

impl FromStr for Subtree {
    type Err = BadSubtree;

    fn from_str(text: &str) -> Result<Subtree, BadSubtree> {
        let bad = || BadSubtree(text.to_owned());
        let (floor, rest) = text.split_once('/').ok_or_else(bad)?;
        let (path, is_after) = rest.strip_suffix('>').map_or((rest, false), |path| (path, true));
        let floor: usize = floor.parse().map_err(|_| bad())?;
        let mut children = Vec::new();
        for run in path.split('.').filter(|_| !path.is_empty()) {
            let (child, times) = run.split_once('*').unwrap_or((run, "1"));
            let (child, times): (u32, usize) =
                (child.parse().map_err(|_| bad())?, times.parse().map_err(|_| bad())?);
            if times == 0 || times > LONGEST - children.len() || child == u32::MAX {
                return Err(bad());
            }
            children.extend(std::iter::repeat_n(child, times));
        }
        if floor > children.len() || is_after && floor == children.len() {
            return Err(bad());
        }
        Ok(Subtree { path: Path(children), floor, is_after })
    }
}

impl From<Subtree> for String {
    fn from(subtree: Subtree) -> String {
        subtree.to_string()
    }
}

impl TryFrom<String> for Subtree {
    type Error = BadSubtree;

    fn try_from(text: String) -> Result<Subtree, BadSubtree> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_back() {
        for text in ["0/", "0/0", "2/0*3.2.1", "0/1.0*12>", "1/4294967294*2.7>"] {
            let subtree: Subtree = text.parse().expect(text);
            assert_eq!(subtree.to_string(), text);
        }
        assert!("0/".parse::<Subtree>().is_ok_and(|it| it.is_whole()));
        for text in
            ["", "0", "/", "0/.", "0/1.", "1/", "0/>", "1/0>", "0/0*0", "0/a", "0/0*999999999", "0/-1"]
        {
            assert!(text.parse::<Subtree>().is_err(), "{text}");
        }
    }

    #[test]
    fn starts_are_in_the_order_of_the_exploration() {
        let start = |text: &str| text.parse::<Subtree>().expect(text).start();
        let order = ["0/", "0/0", "0/0.0", "0/0.1", "0/0.1.5", "0/0.1>", "0/0>", "0/1.0", "0/2>"];
        assert!(order.windows(2).all(|two| start(two[0]) < start(two[1])));
    }
}
