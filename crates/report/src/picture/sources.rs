//! The source beside the picture: the lines of the events, with what is around them.

use super::Node;
use crate::source_map::SourceMap;
use crate::stack::Frame;
use std::collections::{BTreeMap, BTreeSet};

/// A file, or the parts of it that matter.
#[derive(Clone, Debug)]
pub(crate) struct SourceText {
    pub(crate) file: String,
    /// Ascending; where numbers are missing, lines are left out.
    pub(crate) lines: Vec<SourceLine>,
}

/// A line of it.
#[derive(Clone, Debug)]
pub(crate) struct SourceLine {
    pub(crate) number: u32,
    pub(crate) text: String,
    /// The boxes that come from it.
    pub(crate) nodes: Vec<usize>,
}

/// Files up to this length are shown whole.
const WHOLE: u32 = 400;

/// Of longer ones, so many lines before and after each that matters.
const AROUND: u32 = 8;

/// The files of these boxes, as far as their text is at hand: those that threads start in first, otherwise by name.
pub(super) fn texts(nodes: &[Node], map: &dyn SourceMap) -> Vec<SourceText> {
    let mut marked: BTreeMap<&str, BTreeMap<u32, Vec<usize>>> = BTreeMap::new();
    for (index, node) in nodes.iter().enumerate() {
        for Frame { place, .. } in &node.stack {
            let nodes = marked.entry(&place.file).or_default().entry(place.line).or_default();
            if nodes.last() != Some(&index) {
                nodes.push(index);
            }
        }
    }
    let mut marked: Vec<(&str, BTreeMap<u32, Vec<usize>>)> = marked.into_iter().collect();
    let outermost = |file: &str| {
        nodes.iter().filter_map(|node| node.stack.last()).any(|frame| *frame.place.file == *file)
    };
    marked.sort_by_key(|(file, _)| !outermost(file));
    let text = |(file, lines): (&str, BTreeMap<u32, Vec<usize>>)| text(file, lines, map);
    marked.into_iter().map(text).filter(|text| !text.lines.is_empty()).collect()
}

fn text(file: &str, mut marked: BTreeMap<u32, Vec<usize>>, map: &dyn SourceMap) -> SourceText {
    let numbers: BTreeSet<u32> = if map.line(file, WHOLE + 1).is_none() {
        (1..=WHOLE).collect()
    } else {
        marked
            .keys()
            .flat_map(|&line| line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND))
            .collect()
    };
    let line = |number| {
        let nodes = marked.remove(&number).unwrap_or_default();
        map.line(file, number).map(|text| SourceLine { number, text, nodes })
    };
    SourceText { file: file.to_owned(), lines: numbers.into_iter().filter_map(line).collect() }
}
