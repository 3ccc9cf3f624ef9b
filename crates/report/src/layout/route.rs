//! The ways of arrows: straight down for program order, across the space between two columns, or around what is between.

use super::curve::{Curve, Point};
use super::{BOX_HEIGHT, GUTTER, ROW_GAP, Rectangle, row_top};
use crate::picture::{Edge, Picture, Relation};
use std::collections::BTreeMap;

/// The side of a box.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Side {
    Left,
    Right,
    Top,
    Bottom,
}

/// Which end of an arrow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum End {
    From,
    To,
}

/// A line for every arrow.
pub(super) fn curves(picture: &Picture, nodes: &[Rectangle]) -> Vec<Curve> {
    let ports = ports(picture, nodes);
    let mut lanes = Lanes::default();
    let route = |(index, edge): (usize, &Edge)| {
        let [from, to] = [End::From, End::To].map(|end| ports[&(index, end)]);
        curve(picture, edge, from, to, nodes, &mut lanes)
    };
    picture.edges.iter().enumerate().map(route).collect()
}

fn curve(
    picture: &Picture,
    edge: &Edge,
    from: Point,
    to: Point,
    nodes: &[Rectangle],
    lanes: &mut Lanes,
) -> Curve {
    let column = |node: usize| picture.nodes[node].column;
    let (one, other) = (column(edge.from), column(edge.to));
    match edge.main() {
        Relation::Po => Curve::straight(from, to),
        _ if one == other => arc(from, to),
        relation if one.abs_diff(other) == 1 => across(relation, from, to),
        relation => around(picture, (edge, relation), from, to, nodes, lanes),
    }
}

/// On the right of a column. Higher arcs reach further, so that nested ones do not touch.
fn arc(from: Point, to: Point) -> Curve {
    let reach = (22.0 + (to.y - from.y).abs() / 14.0).min(GUTTER * 0.6);
    let out = |point: Point| Point { x: point.x + reach, ..point };
    Curve::Cubic([from, out(from), out(to), to])
}

/// Through the space between two neighbours. Who starts or ends a thread does so from above or below.
fn across(relation: Relation, from: Point, to: Point) -> Curve {
    match relation {
        Relation::Create => {
            let corner = Point { x: to.x, y: from.y };
            Curve::Cubic([from, corner, Point { y: to.y - ROW_GAP, ..to }, to])
        }
        Relation::Join => {
            Curve::Cubic([from, Point { x: from.x, y: to.y }, Point { x: from.x, y: to.y }, to])
        }
        _ => {
            let reach = (to.x - from.x) * 0.55;
            let [out, back] = [Point { x: from.x + reach, ..from }, Point { x: to.x - reach, ..to }];
            Curve::Cubic([from, out, back, to])
        }
    }
}

/// Along the gap between two rows: the one beside the goal, on the side that it is reached from.
fn around(
    picture: &Picture,
    (edge, relation): (&Edge, Relation),
    from: Point,
    to: Point,
    nodes: &[Rectangle],
    lanes: &mut Lanes,
) -> Curve {
    let node = |index: usize| &picture.nodes[index];
    let (above, below) = (node(edge.from).row, node(edge.to).row);
    let gap = match relation {
        Relation::Join => above + 1,
        Relation::Create => below,
        _ if below >= above => below,
        _ => below + 1,
    };
    let towards_right = node(edge.from).column < node(edge.to).column;
    let y = row_top(gap) - ROW_GAP / 2.0 + lanes.row(gap);
    let mut points = vec![from];
    if relation != Relation::Join {
        let x = outside(nodes[edge.from], towards_right, lanes.gutter(node(edge.from).column, towards_right));
        points.extend([Point { x, y: from.y }, Point { x, y }]);
    } else {
        points.push(Point { x: from.x, y });
    }
    if relation != Relation::Create {
        let x = outside(nodes[edge.to], !towards_right, lanes.gutter(node(edge.to).column, !towards_right));
        points.extend([Point { x, y }, Point { x, y: to.y }]);
    } else {
        points.push(Point { x: to.x, y });
    }
    points.push(to);
    Curve::Bent(points)
}

/// A vertical line beside a box.
fn outside(node: Rectangle, on_the_right: bool, distance: f64) -> f64 {
    if on_the_right { node.right() + distance } else { node.x - distance }
}

/// Arrows that run side by side keep a distance from each other.
#[derive(Default)]
struct Lanes {
    rows: BTreeMap<usize, usize>,
    gutters: BTreeMap<(usize, bool), usize>,
}

impl Lanes {
    fn row(&mut self, row: usize) -> f64 {
        let taken = self.rows.entry(row).or_default();
        *taken += 1;
        [0.0, -6.0, 6.0][(*taken - 1) % 3]
    }

    fn gutter(&mut self, column: usize, on_the_right: bool) -> f64 {
        let taken = self.gutters.entry((column, on_the_right)).or_default();
        *taken += 1;
        [16.0, 23.0, 30.0, 37.0][(*taken - 1) % 4]
    }
}

/// Where each arrow leaves its box and where it arrives.
fn ports(picture: &Picture, nodes: &[Rectangle]) -> BTreeMap<(usize, End), Point> {
    let mut sides: BTreeMap<(usize, Side), Vec<(usize, End)>> = BTreeMap::new();
    for (index, edge) in picture.edges.iter().enumerate() {
        let (leaves, arrives) = sides_of(picture, edge);
        sides.entry((edge.from, leaves)).or_default().push((index, End::From));
        sides.entry((edge.to, arrives)).or_default().push((index, End::To));
    }
    let mut ports = BTreeMap::new();
    for ((node, side), mut ends) in sides {
        ends.sort_by_key(|&(index, end)| other_end(picture, index, end));
        let number = ends.len();
        for (position, end) in ends.into_iter().enumerate() {
            let part = (position + 1) as f64 / (number + 1) as f64;
            ports.insert(end, port(nodes[node], side, part));
        }
    }
    ports
}

/// The row of the box at the other end: who comes from above arrives above.
fn other_end(picture: &Picture, edge: usize, end: End) -> (usize, usize, usize) {
    let other = match end {
        End::From => picture.edges[edge].to,
        End::To => picture.edges[edge].from,
    };
    (picture.nodes[other].row, picture.nodes[other].column, edge)
}

fn sides_of(picture: &Picture, edge: &Edge) -> (Side, Side) {
    let (one, other) = (picture.nodes[edge.from].column, picture.nodes[edge.to].column);
    let facing = |one: usize, other: usize| if one <= other { Side::Right } else { Side::Left };
    let (leaves, arrives) = (facing(one, other), if one == other { Side::Right } else { facing(other, one) });
    match edge.main() {
        Relation::Po => (Side::Bottom, Side::Top),
        Relation::Create if one != other => (leaves, Side::Top),
        Relation::Join if one != other => (Side::Bottom, arrives),
        _ => (leaves, arrives),
    }
}

fn port(node: Rectangle, side: Side, part: f64) -> Point {
    let (x, y) = (node.x + node.width * part, node.y + node.height * part);
    match side {
        Side::Left => Point { x: node.x, y },
        Side::Right => Point { x: node.right(), y },
        // Program order runs down the middle of a column.
        Side::Top => Point { x, y: node.y },
        Side::Bottom => Point { x, y: node.bottom() },
    }
}

const _: () = assert!(ROW_GAP < BOX_HEIGHT && GUTTER > 2.0 * 37.0, "lanes fit between columns");
