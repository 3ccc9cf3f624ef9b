//! How far threads got: the boxes below their last events.

use super::{Marks, Node, Picture, What};
use crate::notation::Notation;
use base::ThreadId;
use explore::outcome::{ThreadEnd, ViolationPlace};
use program::FaultKind;

/// An instruction that takes part in a violation and made no event (a failed assertion, say) is a box of its own.
pub(super) fn mark_instruction(
    nodes: &mut Vec<Node>,
    notation: &Notation<'_>,
    (thread, column): (ThreadId, usize),
    places: &[ViolationPlace],
) {
    let is_ours = |place: &&ViolationPlace| {
        place.thread == thread && place.event.is_none_or(|event| notation.label(event).is_none())
    };
    let Some(place) = places.iter().find(is_ours) else { return };
    let number = places.iter().position(|other| other == place).map(|index| index + 1);
    let marks = Marks { wrong: true, number: number.filter(|_| places.len() > 1), ..Marks::default() };
    if let Some(end) = nodes.last_mut().filter(|node| node.column == column && node.what == What::End) {
        end.marks = marks;
        return;
    }
    let text = if place.role.is_empty() { "fails".to_owned() } else { place.role.clone() };
    let stack = notation.place_stack(place);
    nodes.push(Node { what: What::End, column, row: 0, text, stack, reads_initial: false, marks });
}

/// Who waits in a deadlock, or spins for ever, is what is wrong.
pub(super) fn mark_waiting(picture: &mut Picture, notation: &Notation<'_>, kind: FaultKind) {
    for index in 0..picture.nodes.len() {
        let Node { what: What::End, column, .. } = picture.nodes[index] else { continue };
        let thread = picture.columns[column].thread;
        let is_wrong = match notation.execution.ends.get(thread.index()) {
            Some(ThreadEnd::Faulted(_)) => true,
            Some(ThreadEnd::WaitsForLock(_) | ThreadEnd::WaitsForThread(..) | ThreadEnd::Waits(..)) => {
                matches!(kind, FaultKind::Deadlock | FaultKind::Liveness)
            }
            Some(ThreadEnd::Spins(_)) => kind == FaultKind::Liveness,
            Some(ThreadEnd::Finished | ThreadEnd::Running(_) | ThreadEnd::Blocked(_)) | None => false,
        };
        // The attempt before it is the same place of the violation.
        let attempt = index.checked_sub(1).filter(|&attempt| picture.columns[column].first <= attempt);
        let number = attempt.and_then(|attempt| picture.nodes[attempt].marks.number);
        let marks = &mut picture.nodes[index].marks;
        marks.number = marks.number.or(number.filter(|_| is_wrong));
        marks.wrong |= is_wrong;
    }
}
