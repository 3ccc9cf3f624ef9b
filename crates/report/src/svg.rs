//! A [`Picture`] as SVG, drawn without anybody's help: no fonts, no scripts, nothing from elsewhere.
//!
//! Every relation has a colour, a dash and a word, so that colours alone tell nothing; the colours keep their contrast on
//! white and, where the reader's system is dark, on dark.

use crate::layout::{CHARACTER, Layout, Point, Rectangle, SMALL_CHARACTER, number, shown_detail, shown_text};
use crate::markup::{columns, markup, wrapped};
use crate::picture::{Edge, Node, Picture, Relation, What};
use crate::stack::in_line;
use std::fmt::Write;

/// What it looks like. Plain rules without variables: not only browsers draw SVG.
pub(crate) const STYLE: &str = include_str!("svg/style.css");

/// Text needs this, however few threads there are.
const NARROWEST: f64 = 620.0;
const MARGIN: f64 = 20.0;
const LINE: f64 = 18.0;

/// Where the drawing is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Setting {
    /// In a file of its own: what is to be said is in it.
    Alone,
    /// In a page that says it, and that has the source to which the boxes lead.
    InPage,
}

/// The picture as an SVG file.
pub fn svg(picture: &Picture) -> String {
    drawing(picture, Setting::Alone)
}

pub(crate) fn drawing(picture: &Picture, setting: Setting) -> String {
    let layout = Layout::new(picture);
    let width = layout.width.max(match setting {
        Setting::Alone => NARROWEST,
        Setting::InPage => 0.0,
    });
    let mut body = String::new();
    let mut y = MARGIN;
    if setting == Setting::Alone {
        y = heading(&mut body, picture, width, y);
    }
    _ = writeln!(body, "<g transform=\"translate(0 {})\">", number(y - MARGIN));
    threads(&mut body, picture, &layout);
    arrows(&mut body, picture, &layout);
    boxes(&mut body, picture, &layout, setting);
    body += "</g>\n";
    y = legend(&mut body, picture, width, y + layout.height - MARGIN);
    if setting == Setting::Alone {
        y = notes(&mut body, picture, width, y + 6.0);
    }
    frame(picture, &body, Point { x: width, y: y + 4.0 }, setting)
}

fn frame(picture: &Picture, body: &str, size: Point, setting: Setting) -> String {
    let (width, height) = (number(size.x.ceil()), number(size.y.ceil()));
    let style = match setting {
        Setting::Alone => format!("<style>\n{STYLE}</style>\n"),
        Setting::InPage => String::new(),
    };
    // A page may make it a little smaller before it has to be scrolled.
    let role = match setting {
        Setting::Alone => "role=\"img\"".to_owned(),
        Setting::InPage => format!(
            "role=\"group\" style=\"min-width:{}px;max-width:{width}px\"",
            number((size.x * 0.75).ceil())
        ),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"execution\" {role} aria-labelledby=\"picture-title \
         picture-words\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title id=\"picture-title\">{}</title>\n<desc id=\"picture-words\">{}</desc>\n{style}{}\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n",
        markup(&picture.title),
        markup(&in_words(picture)),
        markers(picture),
    )
}

/// For who cannot see it.
fn in_words(picture: &Picture) -> String {
    let mut words = vec![picture.message.clone()];
    for column in &picture.columns {
        let events: Vec<&str> =
            picture.nodes[column.first..column.end].iter().map(|node| node.text.as_str()).collect();
        words.push(format!("{}: {}", column.title, events.join("; ")));
    }
    words.retain(|part| !part.is_empty());
    words.join(". ") + "."
}

/// Those that are there, in their usual order.
fn relations(picture: &Picture) -> Vec<Relation> {
    let is_there = |relation: &Relation| picture.edges.iter().any(|edge| edge.relations.contains(relation));
    Relation::ALL.into_iter().filter(is_there).collect()
}

pub(crate) fn class(relation: Relation) -> &'static str {
    match relation {
        Relation::Po => "po",
        Relation::Rf => "rf",
        Relation::Sw => "sw",
        Relation::Co => "co",
        Relation::Fr => "fr",
        Relation::Create => "create",
        Relation::Join => "join",
        Relation::Waits => "waits",
    }
}

/// A head for each kind of arrow.
fn markers(picture: &Picture) -> String {
    let mut kinds: Vec<&str> = relations(picture).into_iter().map(class).collect();
    if picture.has_cycle() {
        kinds.push("cycle");
    }
    let mut text = String::from("<defs>\n");
    for kind in kinds {
        _ = writeln!(
            text,
            "<marker id=\"head-{kind}\" class=\"head {kind}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" \
             markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0.8 L10 5 L0 9.2 Z\"/></marker>"
        );
    }
    text + "</defs>\n"
}

fn heading(text: &mut String, picture: &Picture, width: f64, y: f64) -> f64 {
    let line = |class, y: f64, words: &str| element("text", class, MARGIN, y, words);
    *text += &line("title", y + 8.0, &picture.title);
    let mut y = y + 8.0;
    let most = ((width - 2.0 * MARGIN) / CHARACTER) as usize;
    for words in wrapped(&picture.message, most).iter().filter(|words| !words.is_empty()) {
        y += LINE + 2.0;
        *text += &line("message", y, words);
    }
    y + LINE
}

/// The reasons, below everything.
fn notes(text: &mut String, picture: &Picture, width: f64, mut y: f64) -> f64 {
    let most = ((width - 2.0 * MARGIN) / SMALL_CHARACTER) as usize;
    for (key, words) in &picture.notes {
        for line in wrapped(&format!("{key}: {words}"), most) {
            *text += &element("text", "note", MARGIN, y + 12.0, &line);
            y += 16.0;
        }
        y += 4.0;
    }
    y
}

fn threads(text: &mut String, picture: &Picture, layout: &Layout) {
    for (column, at) in picture.columns.iter().zip(&layout.columns) {
        *text += &rectangle("column", *at, 8.0);
        *text += &element("text", "thread", at.centre().x, at.y + 23.0, &column.title);
    }
}

fn arrows(text: &mut String, picture: &Picture, layout: &Layout) {
    for (edge, arrow) in picture.edges.iter().zip(&layout.arrows) {
        let classes: Vec<&str> = edge.relations.iter().map(|&relation| class(relation)).collect();
        let (cycle, head) = if edge.on_cycle { (" cycle", "cycle") } else { ("", class(edge.main())) };
        _ = write!(
            text,
            "<g class=\"edge {}{cycle}\" data-from=\"{}\" data-to=\"{}\"><title>{}</title><path d=\"{}\" \
             marker-end=\"url(#head-{head})\"/>",
            classes.join(" "),
            edge.from,
            edge.to,
            markup(&sentence(picture, edge)),
            arrow.curve.path(),
        );
        if let Some(at) = arrow.label {
            *text += element("text", "label", at.x, at.y + 3.5, &edge.label()).trim_end();
        }
        *text += "</g>\n";
    }
}

/// `1:1 W.rel flag = 1 is read by 2:0 R.acq flag = 1`
pub(crate) fn sentence(picture: &Picture, edge: &Edge) -> String {
    let name = |index: usize| {
        let node = &picture.nodes[index];
        let thread = picture.columns[node.column].thread;
        match node.what {
            What::Event(event) => format!("{event} {}", node.text),
            What::LeftOut => format!("an event of thread {thread}"),
            What::End => format!("thread {thread}"),
        }
    };
    let meanings: Vec<&str> = edge.relations.iter().map(|relation| verb(*relation)).collect();
    format!("{} {} {}", name(edge.from), meanings.join(" and "), name(edge.to))
}

fn verb(relation: Relation) -> &'static str {
    match relation {
        Relation::Po => "is before",
        other => other.meaning(),
    }
}

fn boxes(text: &mut String, picture: &Picture, layout: &Layout, setting: Setting) {
    for (index, (node, at)) in picture.nodes.iter().zip(&layout.nodes).enumerate() {
        let goal = if setting == Setting::InPage { goal(picture, node) } else { None };
        let content = content(node, *at);
        let classes = node_classes(node);
        let title = markup(&tooltip(picture, node));
        let open =
            format!("<g class=\"{classes}\" id=\"n{index}\" data-node=\"{index}\"><title>{title}</title>");
        match goal {
            Some(goal) => {
                _ = writeln!(text, "<a href=\"#{goal}\" class=\"to-source\">{open}{content}</g></a>")
            }
            None => _ = writeln!(text, "{open}{content}</g>"),
        }
    }
}

fn content(node: &Node, at: Rectangle) -> String {
    let mut text = rectangle("frame", at, 6.0).trim_end().to_owned();
    if node.marks.committed {
        let inner =
            Rectangle { x: at.x + 3.0, y: at.y + 3.0, width: at.width - 6.0, height: at.height - 6.0 };
        text += rectangle("inner", inner, 4.0).trim_end();
    }
    let x = at.x + 9.0;
    let first = if node.what == What::LeftOut { at.y + 16.5 } else { at.y + 18.5 };
    text += element("text", "what", x, first, &shown_text(node)).trim_end();
    text += element("text", "detail", x, at.y + 35.0, &shown_detail(node)).trim_end();
    if node.marks.wrong {
        let sign = node.marks.number.map_or_else(|| "!".to_owned(), |number| number.to_string());
        let (x, y) = (at.right() - 4.0, at.y + 4.0);
        _ = write!(text, "<circle class=\"badge\" cx=\"{}\" cy=\"{}\" r=\"9\"/>", number(x), number(y));
        text += element("text", "sign", x, y + 4.0, &sign).trim_end();
    }
    text
}

fn node_classes(node: &Node) -> String {
    let kind = match node.what {
        What::Event(_) => "event",
        What::LeftOut => "left-out",
        What::End => "end",
    };
    let marks =
        [(node.marks.wrong, " wrong"), (node.marks.on_cycle, " cycle"), (node.marks.committed, " committed")];
    let marks: String = marks.into_iter().filter(|(is, _)| *is).map(|(_, class)| class).collect();
    format!("node {kind}{marks}")
}

fn tooltip(picture: &Picture, node: &Node) -> String {
    let place = Some(in_line(&node.stack)).filter(|place| !place.is_empty());
    let thread = format!("thread {}", picture.columns[node.column].thread);
    let name = node.what.event().map(|event| event.to_string());
    let initial = node.reads_initial.then(|| "initial value".to_owned());
    let parts = name.into_iter().chain([node.text.clone(), thread]).chain(place).chain(initial);
    parts.chain(node.remarks()).collect::<Vec<_>>().join(", ")
}

/// The line of source that a box comes from, as a page names it.
fn goal(picture: &Picture, node: &Node) -> Option<String> {
    let place = &node.stack.first()?.place;
    let file = picture.sources.iter().position(|source| *source.file == *place.file)?;
    picture.sources[file]
        .lines
        .iter()
        .any(|line| line.number == place.line)
        .then(|| line_id(file, place.line))
}

/// The name of a line of source in a page.
pub(crate) fn line_id(file: usize, line: u32) -> String {
    format!("s{file}-{line}")
}

/// What the arrows and the marks mean, as far as they are there.
fn legend(text: &mut String, picture: &Picture, width: f64, y: f64) -> f64 {
    let mut flow = Flow { x: MARGIN, y: y + 8.0, width };
    for relation in relations(picture) {
        let name = match relation {
            Relation::Po => "po: program order".to_owned(),
            Relation::Create | Relation::Join => relation.meaning().to_owned(),
            Relation::Waits => relation.name().to_owned(),
            other => format!("{}: {}", other.name(), other.meaning()),
        };
        flow.sample(text, &format!("edge {}", class(relation)), class(relation), &name);
    }
    if picture.has_cycle() {
        flow.sample(text, "edge cycle", "cycle", "the cycle of po and rf");
    }
    let has = |wanted: fn(&Node) -> bool| picture.nodes.iter().any(wanted);
    if has(|node| node.marks.committed) {
        flow.swatch(text, "committed", "committed");
    }
    if has(|node| node.marks.wrong) {
        flow.swatch(text, "wrong", "here it goes wrong");
    }
    flow.y + 20.0
}

/// The pieces of the legend, line by line.
struct Flow {
    x: f64,
    y: f64,
    width: f64,
}

impl Flow {
    /// A place for a sign and these words.
    fn place(&mut self, words: &str) -> Point {
        let needed = 40.0 + columns(words) as f64 * SMALL_CHARACTER + 18.0;
        if self.x + needed > self.width && self.x > MARGIN {
            (self.x, self.y) = (MARGIN, self.y + LINE + 2.0);
        }
        let place = Point { x: self.x, y: self.y };
        self.x += needed;
        place
    }

    fn sample(&mut self, text: &mut String, classes: &str, head: &str, words: &str) {
        let Point { x, y } = self.place(words);
        _ = writeln!(
            text,
            "<g class=\"{classes}\"><path d=\"M{} {} h32\" marker-end=\"url(#head-{head})\"/></g>{}",
            number(x),
            number(y),
            element("text", "key", x + 40.0, y + 4.0, words).trim_end(),
        );
    }

    fn swatch(&mut self, text: &mut String, class: &str, words: &str) {
        let Point { x, y } = self.place(words);
        let at = Rectangle { x: x + 4.0, y: y - 7.0, width: 26.0, height: 14.0 };
        let inner = Rectangle { x: x + 7.0, y: y - 4.0, width: 20.0, height: 8.0 };
        let inner = if class == "committed" { rectangle("inner", inner, 2.0) } else { String::new() };
        _ = writeln!(
            text,
            "<g class=\"node event {class}\">{}{}</g>{}",
            rectangle("frame", at, 4.0).trim_end(),
            inner.trim_end(),
            element("text", "key", x + 40.0, y + 4.0, words).trim_end(),
        );
    }
}

fn element(name: &str, class: &str, x: f64, y: f64, words: &str) -> String {
    format!("<{name} class=\"{class}\" x=\"{}\" y=\"{}\">{}</{name}>\n", number(x), number(y), markup(words))
}

fn rectangle(class: &str, at: Rectangle, round: f64) -> String {
    format!(
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>\n",
        number(at.x),
        number(at.y),
        number(at.width),
        number(at.height),
        number(round)
    )
}
