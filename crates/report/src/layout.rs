//! Where everything of a [`Picture`] is on the plane: boxes in columns and rows, arrows in the space between them.
//!
//! All boxes of a column are equally wide, so that arrows between neighbouring columns never cross a box. Arrows that go
//! further leave the row: they run along the gap between two rows and come back in front of their goal. Arrows that end at
//! the same side of a box are spread over it, in the order of where they come from, and words beside arrows are put
//! where nothing else is. The same picture has the same layout, to the last digit.

mod curve;
mod labels;
mod route;

use crate::markup::{columns, shortened};
use crate::picture::{Node, Picture, What};

pub(crate) use curve::{Curve, Point, number};

/// The width of a character of the boxes' font, at its size of 13.
pub(crate) const CHARACTER: f64 = 7.83;
/// The same for the second lines of boxes and the words beside arrows, at 11.
pub(crate) const SMALL_CHARACTER: f64 = 6.62;
/// Longer texts are cut; the whole text is in the tooltip.
const LONGEST_TEXT: usize = 44;

const BOX_HEIGHT: f64 = 44.0;
/// Events that are left out need one line only.
const LOW_HEIGHT: f64 = 24.0;
const ROW_GAP: f64 = 30.0;
const GUTTER: f64 = 92.0;
const MARGIN: f64 = 20.0;
/// For the names of the threads.
const HEADER: f64 = 34.0;
const NARROWEST: f64 = 120.0;

/// A rectangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Rectangle {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Rectangle {
    pub(crate) fn right(self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(self) -> f64 {
        self.y + self.height
    }

    pub(crate) fn centre(self) -> Point {
        Point { x: self.x + self.width / 2.0, y: self.y + self.height / 2.0 }
    }

    pub(crate) fn wider(self, by: f64) -> Rectangle {
        let (width, height) = (self.width + 2.0 * by, self.height + 2.0 * by);
        Rectangle { x: self.x - by, y: self.y - by, width, height }
    }

    pub(crate) fn contains(self, point: Point) -> bool {
        (self.x..self.right()).contains(&point.x) && (self.y..self.bottom()).contains(&point.y)
    }

    /// Whether they have more in common than their borders.
    pub(crate) fn overlaps(self, other: Rectangle) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }
}

/// Where everything is.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The background of each column, with its title.
    pub(crate) columns: Vec<Rectangle>,
    /// One per box.
    pub(crate) nodes: Vec<Rectangle>,
    /// One per arrow.
    pub(crate) arrows: Vec<Arrow>,
}

/// The way of an arrow.
#[derive(Clone, Debug)]
pub(crate) struct Arrow {
    pub(crate) curve: Curve,
    /// The middle of the words beside it, if there are any.
    pub(crate) label: Option<Point>,
}

/// The first line of a box.
pub(crate) fn shown_text(node: &Node) -> String {
    shortened(&node.text, LONGEST_TEXT)
}

/// The second line of a box.
pub(crate) fn shown_detail(node: &Node) -> String {
    shortened(&node.detail(), LONGEST_TEXT)
}

impl Layout {
    pub(crate) fn new(picture: &Picture) -> Layout {
        let columns = column_rectangles(picture);
        let nodes = node_rectangles(picture, &columns);
        let curves = route::curves(picture, &nodes);
        let labels = labels::places(picture, &nodes, &curves);
        let arrows = curves.into_iter().zip(labels).map(|(curve, label)| Arrow { curve, label });
        let right = columns.last().map_or(0.0, |column| column.right());
        let arrows: Vec<Arrow> = arrows.collect();
        let points = arrows.iter().flat_map(|arrow| arrow.curve.points());
        let labels = arrows.iter().filter_map(|arrow| arrow.label).map(|label| label.x + GUTTER / 4.0);
        let arcs = points.map(|point| point.x).chain(labels).fold(right, f64::max);
        let height = columns.first().map_or(0.0, |column| column.bottom());
        Layout { width: arcs + MARGIN, height: height + MARGIN, columns, nodes, arrows }
    }
}

fn column_rectangles(picture: &Picture) -> Vec<Rectangle> {
    let rows = picture.nodes.iter().map(|node| node.row + 1).max().unwrap_or(0);
    let height = HEADER + rows as f64 * (BOX_HEIGHT + ROW_GAP) + ROW_GAP / 2.0;
    let mut x = MARGIN;
    let mut rectangles = Vec::new();
    for column in &picture.columns {
        let nodes = &picture.nodes[column.first..column.end];
        let title = columns(&column.title) as f64 * CHARACTER;
        let width = nodes.iter().map(node_width).fold(title, f64::max).max(NARROWEST) + 28.0;
        rectangles.push(Rectangle { x, y: MARGIN, width, height });
        x += width + GUTTER;
    }
    rectangles
}

fn node_width(node: &Node) -> f64 {
    let text = columns(&shown_text(node)) as f64 * CHARACTER;
    let detail = columns(&shown_detail(node)) as f64 * SMALL_CHARACTER;
    // The badge stands on the corner.
    text.max(detail) + if node.marks.wrong { 14.0 } else { 0.0 }
}

fn node_rectangles(picture: &Picture, columns: &[Rectangle]) -> Vec<Rectangle> {
    let rectangle = |node: &Node| {
        let column = columns[node.column];
        let top = row_top(node.row);
        let low = node.what == What::LeftOut;
        let (height, lower) =
            if low { (LOW_HEIGHT, (BOX_HEIGHT - LOW_HEIGHT) / 2.0) } else { (BOX_HEIGHT, 0.0) };
        Rectangle { x: column.x + 6.0, y: top + lower, width: column.width - 12.0, height }
    };
    picture.nodes.iter().map(rectangle).collect()
}

/// The upper border of a row's boxes.
fn row_top(row: usize) -> f64 {
    MARGIN + HEADER + ROW_GAP / 2.0 + row as f64 * (BOX_HEIGHT + ROW_GAP)
}
