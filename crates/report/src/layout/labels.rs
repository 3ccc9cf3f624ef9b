//! Where the words beside arrows are: on their arrow, where there is no box, no other word and, if possible, no other arrow.
//! Cost: quadratic in the arrows.

use super::curve::{Curve, Point};
use super::{Rectangle, SMALL_CHARACTER};
use crate::markup::columns;
use crate::picture::Picture;

/// Parts of the way at which the words may stand, the best first.
const PARTS: [f64; 9] = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.15, 0.85];

const HEIGHT: f64 = 13.0;

/// Words should be so far from arrows that are not theirs.
const CLEARANCE: f64 = 5.0;

/// A place for the words of each arrow that has some.
pub(super) fn places(picture: &Picture, nodes: &[Rectangle], curves: &[Curve]) -> Vec<Option<Point>> {
    let mut taken: Vec<Rectangle> = Vec::new();
    let lines: Vec<Vec<Point>> = curves.iter().map(Curve::points).collect();
    let place = |(index, (edge, curve)): (usize, (&crate::picture::Edge, &Curve))| {
        let label = edge.label();
        if label.is_empty() {
            return None;
        }
        let width = columns(&label) as f64 * SMALL_CHARACTER + 4.0;
        let at = |part: f64| rectangle(curve.at(part), width);
        let collisions = |rectangle: Rectangle| {
            let words = taken.iter().filter(|other| other.overlaps(rectangle)).count();
            let boxes = nodes.iter().filter(|other| other.overlaps(rectangle)).count();
            let around = rectangle.wider(CLEARANCE);
            let crossed = |line: &Vec<Point>| line.iter().any(|point| around.contains(*point));
            let arrows =
                lines.iter().enumerate().filter(|(other, line)| *other != index && crossed(line)).count();
            arrows + 4 * words + 16 * boxes
        };
        let best = PARTS.into_iter().map(at).min_by_key(|&rectangle| collisions(rectangle))?;
        taken.push(best);
        Some(best.centre())
    };
    picture.edges.iter().zip(curves).enumerate().map(place).collect()
}

fn rectangle(middle: Point, width: f64) -> Rectangle {
    Rectangle { x: middle.x - width / 2.0, y: middle.y - HEIGHT / 2.0, width, height: HEIGHT }
}
