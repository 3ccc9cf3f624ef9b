//! Where the words beside arrows are: on their arrow, where there is no box, no other word and, if possible, no other arrow.
//! Cost: quadratic in the arrows.

use super::curve::{Curve, Point};
use super::{Rectangle, SMALL_CHARACTER};
use crate::markup::columns;
use crate::picture::{Edge, Picture};

/// Parts of the way at which the words may stand, the best first.
const PARTS: [f64; 9] = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.15, 0.85];

const HEIGHT: f64 = 13.0;

/// Words should be so far from arrows that are not theirs.
const CLEARANCE: f64 = 5.0;

/// A place for the words of each arrow that has some.
pub(super) fn places(picture: &Picture, nodes: &[Rectangle], curves: &[Curve]) -> Vec<Option<Point>> {
    let lines = curves.iter().map(Line::new).collect();
    let mut plane = Plane { nodes, lines, words: Vec::new() };
    let place = |(index, (edge, curve)): (usize, (&Edge, &Curve))| {
        let label = edge.label();
        if label.is_empty() {
            return None;
        }
        let width = columns(&label) as f64 * SMALL_CHARACTER + 4.0;
        let at = |part: f64| rectangle(curve.at(part), width);
        let best = PARTS.into_iter().map(at).min_by_key(|&rectangle| plane.collisions(rectangle, index))?;
        plane.words.push(best);
        Some(best.centre())
    };
    picture.edges.iter().zip(curves).enumerate().map(place).collect()
}

/// What is there already.
struct Plane<'a> {
    nodes: &'a [Rectangle],
    lines: Vec<Line>,
    words: Vec<Rectangle>,
}

impl Plane<'_> {
    /// How bad it would be to put the words of this arrow there.
    fn collisions(&self, there: Rectangle, arrow: usize) -> usize {
        let on = |taken: &[Rectangle]| taken.iter().filter(|other| other.overlaps(there)).count();
        let around = there.wider(CLEARANCE);
        let lines = self.lines.iter().enumerate();
        let crossed = lines.filter(|(other, line)| *other != arrow && line.crosses(around)).count();
        crossed + 4 * on(&self.words) + 16 * on(self.nodes)
    }
}

/// The points of an arrow, and a rectangle around them all, for most arrows are far away.
struct Line {
    points: Vec<Point>,
    bounds: Rectangle,
}

impl Line {
    fn new(curve: &Curve) -> Line {
        let points = curve.points();
        let start = points[0];
        let (mut low, mut high) = (start, start);
        for point in &points {
            low = Point { x: low.x.min(point.x), y: low.y.min(point.y) };
            high = Point { x: high.x.max(point.x), y: high.y.max(point.y) };
        }
        let bounds = Rectangle { x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y };
        // A straight line has no area, and would overlap nothing.
        Line { points, bounds: bounds.wider(1.0) }
    }

    fn crosses(&self, rectangle: Rectangle) -> bool {
        self.bounds.overlaps(rectangle) && self.points.iter().any(|&point| rectangle.contains(point))
    }
}

fn rectangle(middle: Point, width: f64) -> Rectangle {
    Rectangle { x: middle.x - width / 2.0, y: middle.y - HEIGHT / 2.0, width, height: HEIGHT }
}
