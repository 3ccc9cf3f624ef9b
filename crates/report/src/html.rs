//! A [`Picture`] as a page: what is wrong in words, the drawing, the source beside it, and the same again as tables.
//!
//! One file that needs nothing from elsewhere, and says so to the browser. Without its script boxes lead to their lines of
//! source and back; with it, what is pointed at lights up together with its arrows, its line and its row. The page is
//! well-formed XML, too, which a test checks.

use crate::markup::markup;
use crate::picture::{Column, Edge, Node, Picture, SourceLine, SourceText};
use crate::stack::in_line;
use crate::svg::{self, Setting, line_id, sentence};
use std::fmt::Write;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// More events beside a line would hide it.
const CHIPS: usize = 3;

/// Nothing is loaded, nothing is sent.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The picture as an HTML file.
pub fn html(picture: &Picture) -> String {
    let mut text = head(picture);
    header(&mut text, picture);
    text += "<main>\n<div class=\"sheet beside\">\n";
    drawing(&mut text, picture);
    sources(&mut text, picture);
    text += "</div>\n";
    words(&mut text, picture);
    text += "</main>\n";
    _ = write!(text, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    text
}

fn head(picture: &Picture) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <title>{}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n",
        markup(&picture.title),
        svg::STYLE,
    )
}

/// The report's words: what is wrong, and why.
fn header(text: &mut String, picture: &Picture) {
    _ = writeln!(text, "<header>\n<h1>{}</h1>", markup(&picture.title));
    if !picture.message.is_empty() {
        _ = writeln!(text, "<p class=\"message\">{}</p>", markup(&picture.message));
    }
    if !picture.notes.is_empty() {
        *text += "<dl>\n";
        for same in picture.notes.chunk_by(|one, other| one.0 == other.0) {
            note(text, same);
        }
        *text += "</dl>\n";
    }
    *text += "</header>\n";
}

/// What is said under one word.
fn note(text: &mut String, same: &[(&'static str, String)]) {
    _ = write!(text, "<div><dt>{}</dt><dd>", markup(same[0].0));
    for (_, words) in same {
        let tag = if words.starts_with("threadbare ") { "code" } else { "span" };
        _ = write!(text, "<{tag}>{}</{tag}>", markup(words));
    }
    *text += "</dd></div>\n";
}

fn drawing(text: &mut String, picture: &Picture) {
    *text += "<figure>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"The execution, drawn\">\n";
    *text += &svg::drawing(picture, Setting::InPage);
    *text += "</div>\n<figcaption>Threads are columns, time goes down as far as there is an order. A box leads to its line of \
              source. <a href=\"#words\">The same in words</a> is below.</figcaption>\n</figure>\n";
}

fn sources(text: &mut String, picture: &Picture) {
    if picture.sources.is_empty() {
        return;
    }
    *text += "<section class=\"sources\" aria-label=\"Source\">\n";
    for (file, source) in picture.sources.iter().enumerate() {
        source_text(text, picture, file, source);
    }
    *text += "</section>\n";
}

fn source_text(text: &mut String, picture: &Picture, file: usize, source: &SourceText) {
    let name = markup(&source.file);
    _ = writeln!(text, "<h2>{name}</h2>");
    _ = writeln!(text, "<div class=\"scroll code\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\">");
    let mut last = source.lines.first().map_or(0, |line| line.number - 1);
    for line in &source.lines {
        if line.number != last + 1 {
            *text += "<div class=\"gap\">…</div>\n";
        }
        last = line.number;
        source_line(text, picture, file, line);
    }
    *text += "</div>\n";
}

fn source_line(text: &mut String, picture: &Picture, file: usize, line: &SourceLine) {
    let is_wrong = line.nodes.iter().any(|&node| picture.nodes[node].marks.wrong);
    let class = match (line.nodes.is_empty(), is_wrong) {
        (true, _) => "line",
        (false, false) => "line marked",
        (false, true) => "line marked wrong",
    };
    let nodes: Vec<String> = line.nodes.iter().map(ToString::to_string).collect();
    _ = write!(
        text,
        "<div class=\"{class}\" id=\"{}\" data-nodes=\"{}\"><span class=\"number\">{}</span><code>{}</code>",
        line_id(file, line.number),
        nodes.join(" "),
        line.number,
        markup(&line.text),
    );
    if !line.nodes.is_empty() {
        *text += "<span class=\"events\">";
        let named = if line.nodes.len() > CHIPS { CHIPS - 1 } else { line.nodes.len() };
        for &node in &line.nodes[..named] {
            _ = write!(text, "<a href=\"#n{node}\">{}</a>", markup(&name(picture, node)));
        }
        if named < line.nodes.len() {
            _ = write!(text, "<span>+{}</span>", line.nodes.len() - named);
        }
        *text += "</span>";
    }
    *text += "</div>\n";
}

/// `1:0`, or the thread for what is no event.
fn name(picture: &Picture, index: usize) -> String {
    let node = &picture.nodes[index];
    let thread = || format!("thread {}", picture.columns[node.column].thread);
    node.what.event().map_or_else(thread, |event| event.to_string())
}

/// The whole picture without a picture.
fn words(text: &mut String, picture: &Picture) {
    *text += "<details id=\"words\" open=\"open\">\n<summary>The same in words</summary>\n<div class=\"threads\">\n";
    for column in &picture.columns {
        thread(text, picture, column);
    }
    *text += "</div>\n<h2>Arrows</h2>\n<ul class=\"arrows\">\n";
    let has_label = |edge: &&Edge| !edge.label().is_empty();
    for edge in picture.edges.iter().filter(has_label) {
        let words = markup(&sentence(picture, edge));
        let cycle = if edge.on_cycle { " (on the cycle)" } else { "" };
        _ = writeln!(
            text,
            "<li data-from=\"{}\" data-to=\"{}\">{words} <b>{}</b>{cycle}</li>",
            edge.from,
            edge.to,
            edge.label()
        );
    }
    *text += "</ul>\n</details>\n";
}

fn thread(text: &mut String, picture: &Picture, column: &Column) {
    _ = writeln!(
        text,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n<table>\n<caption>{0}</caption>\n<thead><tr><th \
         scope=\"col\">event</th><th scope=\"col\">what</th><th scope=\"col\">where</th><th scope=\"col\">remarks</th></tr>\
         </thead>\n<tbody>",
        markup(&column.title)
    );
    for index in column.first..column.end {
        row(text, &picture.nodes[index], index);
    }
    *text += "</tbody>\n</table>\n</div>\n";
}

fn row(text: &mut String, node: &Node, index: usize) {
    let event = node.what.event().map(|event| event.to_string()).unwrap_or_default();
    let place = in_line(&node.stack);
    let initial = node.reads_initial.then(|| "initial value".to_owned());
    let remarks: Vec<String> = initial.into_iter().chain(node.remarks()).collect();
    let class = if node.marks.wrong { " class=\"wrong\"" } else { "" };
    _ = writeln!(
        text,
        "<tr{class} data-node=\"{index}\"><td>{event}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        markup(&node.text),
        markup(&place),
        markup(&remarks.join(", ")),
    );
}
