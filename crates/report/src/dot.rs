//! A [`Picture`] for graphviz: a cluster per thread, rows as ranks.
//!
//! `dot -Tpdf out.dot` draws it. Colours and dashes are those of [`svg`](crate::svg) on paper.

use crate::markup::{dot_string, wrapped};
use crate::picture::{Column, Edge, Node, Picture, Relation, What};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Columns of a note before it is broken.
const NOTE: usize = 100;

/// The picture as DOT.
pub fn dot(picture: &Picture) -> String {
    let mut text = String::from("digraph execution {\n");
    push(
        &mut text,
        1,
        &format!(
            "graph [label={}, labelloc=t, labeljust=l, newrank=true, nodesep=0.6, ranksep=0.35, fontname=\"sans-serif\", fontsize=12];",
            caption(picture)
        ),
    );
    push(
        &mut text,
        1,
        "node [shape=box, style=rounded, fontname=\"monospace\", fontsize=11, color=\"#5b6470\"];",
    );
    push(&mut text, 1, "edge [fontname=\"monospace\", fontsize=10, arrowsize=0.7];");
    for column in &picture.columns {
        cluster(&mut text, picture, column);
    }
    ranks(&mut text, picture);
    for edge in picture.edges.iter().filter(|edge| edge.main() != Relation::Po) {
        push(&mut text, 1, &arrow(picture, edge));
    }
    text + "}\n"
}

/// Title, message and reasons, above everything.
fn caption(picture: &Picture) -> String {
    let mut lines = vec![picture.title.clone()];
    lines.extend(wrapped(&picture.message, NOTE).into_iter().filter(|line| !line.is_empty()));
    for (key, words) in &picture.notes {
        lines.extend(wrapped(&format!("{key}: {words}"), NOTE));
    }
    dot_string(&lines, "\\l")
}

fn cluster(text: &mut String, picture: &Picture, column: &Column) {
    push(text, 1, &format!("subgraph cluster_{} {{", column.thread));
    let title = dot_string(std::slice::from_ref(&column.title), "");
    push(
        text,
        2,
        &format!(
            "label={title}; labeljust=c; style=\"rounded,filled\"; color=\"#d5dae1\"; fillcolor=\"#f5f7fa\"; fontname=\"sans-serif\";"
        ),
    );
    for index in column.first..column.end {
        push(text, 2, &node(picture, index));
    }
    let inside =
        |edge: &&Edge| edge.main() == Relation::Po && (column.first..column.end).contains(&edge.from);
    for edge in picture.edges.iter().filter(inside) {
        push(text, 2, &arrow(picture, edge));
    }
    push(text, 1, "}");
}

/// Boxes of one row are beside each other.
fn ranks(text: &mut String, picture: &Picture) {
    let mut rows: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (index, node) in picture.nodes.iter().enumerate() {
        rows.entry(node.row).or_default().push(name(picture, index));
    }
    for names in rows.values().filter(|names| names.len() > 1) {
        push(text, 1, &format!("{{ rank=same; {}; }}", names.join("; ")));
    }
}

/// Events are called as in the report, in quotes.
fn name(picture: &Picture, index: usize) -> String {
    let node = &picture.nodes[index];
    let thread = picture.columns[node.column].thread;
    match node.what {
        What::Event(event) => format!("\"{event}\""),
        What::LeftOut => format!("\"{thread} left out {index}\""),
        What::End => format!("\"{thread} end\""),
    }
}

fn node(picture: &Picture, index: usize) -> String {
    let node = &picture.nodes[index];
    let lines = [vec![node.text.clone()], second_line(node)].concat();
    format!("{} [label={}{}];", name(picture, index), dot_string(&lines, "\\l"), node_style(node))
}

fn second_line(node: &Node) -> Vec<String> {
    let remarks = node.remarks();
    let parts = std::iter::once(node.detail()).chain(remarks).filter(|part| !part.is_empty());
    let line = parts.collect::<Vec<_>>().join(" · ");
    if line.is_empty() { Vec::new() } else { vec![line] }
}

fn node_style(node: &Node) -> String {
    let mut style = String::new();
    match (node.marks.wrong, node.marks.on_cycle, node.what) {
        (true, _, _) => {
            style += ", style=\"rounded,filled,bold\", color=\"#b3123b\", fillcolor=\"#fdecef\", penwidth=2";
        }
        (false, true, _) => style += ", color=\"#8f1a76\", penwidth=2",
        (false, false, What::LeftOut) => style += ", shape=plaintext",
        (false, false, What::End) => style += ", style=\"rounded,dashed\"",
        (false, false, What::Event(_)) => {}
    }
    if node.marks.committed {
        style += ", peripheries=2";
    }
    style
}

fn arrow(picture: &Picture, edge: &Edge) -> String {
    let (colour, style) = match edge.main() {
        Relation::Po => ("#5b6470", "solid"),
        Relation::Rf => ("#00694d", "solid"),
        Relation::Sw => ("#0a549e", "dashed"),
        Relation::Co => ("#7a5200", "dashed"),
        Relation::Fr => ("#a84300", "dotted"),
        Relation::Create | Relation::Join => ("#5b6470", "dashed"),
        Relation::Waits => ("#b3123b", "dashed"),
    };
    let colour = if edge.on_cycle { "#8f1a76" } else { colour };
    let mut attributes = format!("color=\"{colour}\", style={style}");
    if !edge.label().is_empty() {
        _ = write!(attributes, ", label=\"{}\", fontcolor=\"{colour}\"", edge.label());
    }
    if edge.on_cycle {
        attributes += ", penwidth=2.5";
    }
    // Rows are given: only program order pulls boxes together.
    attributes += if edge.main() == Relation::Po { ", weight=8" } else { ", constraint=false" };
    format!("{} -> {} [{attributes}];", name(picture, edge.from), name(picture, edge.to))
}

fn push(text: &mut String, depth: usize, line: &str) {
    text.extend(std::iter::repeat_n("  ", depth));
    text.push_str(line);
    text.push('\n');
}
