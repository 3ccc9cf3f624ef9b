//! The line of an arrow.

/// A point; `y` grows downwards.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    fn towards(self, other: Point, part: f64) -> Point {
        Point { x: self.x + (other.x - self.x) * part, y: self.y + (other.y - self.y) * part }
    }

    fn distance(self, other: Point) -> f64 {
        ((self.x - other.x).powi(2) + (self.y - other.y).powi(2)).sqrt()
    }
}

/// A line from box to box.
#[derive(Clone, Debug)]
pub(crate) enum Curve {
    /// A cubic Bézier curve: start, two control points, end.
    Cubic([Point; 4]),
    /// Straight pieces with round corners. At least two points.
    Bent(Vec<Point>),
}

/// Into so many parts a line is cut to see where it is.
const STEPS: u32 = 48;

/// The radius of round corners.
const ROUND: f64 = 10.0;

impl Curve {
    pub(crate) fn straight(from: Point, to: Point) -> Curve {
        Curve::Bent(vec![from, to])
    }

    /// The point after this part of the way, from 0 to 1.
    pub(crate) fn at(&self, part: f64) -> Point {
        match self {
            Curve::Cubic([a, b, c, d]) => {
                let (ab, bc, cd) = (a.towards(*b, part), b.towards(*c, part), c.towards(*d, part));
                ab.towards(bc, part).towards(bc.towards(cd, part), part)
            }
            Curve::Bent(points) => {
                let lengths = points.windows(2).map(|pair| pair[0].distance(pair[1]));
                let mut left = part * lengths.clone().sum::<f64>();
                for (pair, length) in points.windows(2).zip(lengths) {
                    if left <= length && length > 0.0 {
                        return pair[0].towards(pair[1], left / length);
                    }
                    left -= length;
                }
                points[points.len() - 1]
            }
        }
    }

    /// Points of it, close to each other.
    pub(crate) fn points(&self) -> Vec<Point> {
        (0..=STEPS).map(|step| self.at(f64::from(step) / f64::from(STEPS))).collect()
    }

    /// As the `d` of an SVG path.
    pub(crate) fn path(&self) -> String {
        match self {
            Curve::Cubic([a, b, c, d]) => {
                format!("M{} C{} {} {}", pair(*a), pair(*b), pair(*c), pair(*d))
            }
            Curve::Bent(points) => bent_path(points),
        }
    }
}

fn bent_path(points: &[Point]) -> String {
    let mut path = format!("M{}", pair(points[0]));
    for corner in points.windows(3) {
        let [before, at, after] = [corner[0], corner[1], corner[2]];
        let radius = ROUND.min(before.distance(at) / 2.0).min(at.distance(after) / 2.0);
        if radius > 0.0 {
            let (start, end) = (
                at.towards(before, radius / at.distance(before)),
                at.towards(after, radius / at.distance(after)),
            );
            path += &format!(" L{} Q{} {}", pair(start), pair(at), pair(end));
        }
    }
    path + &format!(" L{}", pair(points[points.len() - 1]))
}

fn pair(point: Point) -> String {
    format!("{} {}", number(point.x), number(point.y))
}

/// With one digit after the point, if it is not 0.
pub(crate) fn number(number: f64) -> String {
    let text = format!("{number:.1}");
    let text = text.strip_suffix(".0").map_or(text.as_str(), |whole| whole);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
