//! Where herd and we answer differently on purpose, and by which definition.

/// Test and reason.
pub(crate) const KNOWN: [(&str, &str); 1] = [(
    "Atomic+plain-syntax",
    "`*x` where x points to an atomic object is a seq_cst access (C11 6.2.6.1p9); herd takes it as a plain one.",
)];
