//! In which row each box is: below what is before it in its thread, what it reads from, and who created its thread.
//!
//! A cycle of program order and reads-from has no such rows. There program order counts, and the boxes of the cycle that
//! wait for each other stand side by side, as papers draw load buffering.
//! Cost: quadratic in the boxes, of which there are few.

use super::{Picture, Relation};

/// Gives each box its row.
pub(super) fn assign(picture: &mut Picture) {
    let before = before(picture);
    let mut rows: Vec<Option<usize>> = vec![None; picture.nodes.len()];
    while rows.contains(&None) {
        for node in next(picture, &before, &rows) {
            let below = before[node].iter().filter_map(|&other| rows[other]).max();
            rows[node] = Some(below.map_or(0, |row| row + 1));
        }
    }
    for (node, row) in picture.nodes.iter_mut().zip(rows) {
        node.row = row.unwrap_or(0);
    }
}

/// What each box is to be below of.
fn before(picture: &Picture) -> Vec<Vec<usize>> {
    let mut before = vec![Vec::new(); picture.nodes.len()];
    for edge in &picture.edges {
        if matches!(edge.main(), Relation::Po | Relation::Rf | Relation::Create | Relation::Join) {
            before[edge.to].push(edge.from);
        }
    }
    before
}

/// The boxes to be placed now: those that only wait for placed ones, or if there are none, those that break a cycle.
fn next(picture: &Picture, before: &[Vec<usize>], rows: &[Option<usize>]) -> Vec<usize> {
    let waiting: Vec<usize> = picture
        .columns
        .iter()
        .filter_map(|column| (column.first..column.end).find(|&node| rows[node].is_none()))
        .collect();
    let ready = |&node: &usize| before[node].iter().all(|&other| rows[other].is_some());
    let on_cycle = |&node: &usize| picture.nodes[node].marks.on_cycle;
    let chosen: Vec<usize> = waiting.iter().copied().filter(ready).collect();
    if !chosen.is_empty() {
        return chosen;
    }
    let cyclic: Vec<usize> = waiting.iter().copied().filter(on_cycle).collect();
    if cyclic.is_empty() { waiting.into_iter().take(1).collect() } else { cyclic }
}
