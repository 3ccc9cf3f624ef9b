//! The memory models by name, and what each does with what the program wrote.

use clap::ValueEnum;
use report::{ModelName, Orders};

/// Every name that `--model` understands, whether this version has the model or not.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum ModelChoice {
    Sc,
    Tso,
    Ra,
    Sra,
    Wra,
    Rc20,
    Relaxed,
    Rc11,
    Wrc11,
    Xmm,
}

/// A model of this version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Supported {
    pub(crate) model: explore::Model,
    pub(crate) name: ModelName,
}

/// The models of this version, the default first, with a line on each.
const SUPPORTED: [(Supported, &str); 3] = [
    (
        Supported {
            model: explore::Model::Rc11,
            name: ModelName { id: "rc11", title: "RC11", orders: Orders::Annotated },
        },
        "repaired C/C++11 (default): a language model, every access and fence has the order that the program wrote",
    ),
    (
        Supported {
            model: explore::Model::Sc,
            name: ModelName { id: "sc", title: "SC", orders: Orders::Uniform },
        },
        "sequential consistency: uniform, every access is treated alike whatever its order; fences do nothing",
    ),
    (
        Supported {
            model: explore::Model::Ra,
            name: ModelName { id: "ra", title: "RA", orders: Orders::Uniform },
        },
        "release-acquire: uniform, every write is a release and every read an acquire; an SC fence is an acq_rel RMW \
         on one distinguished location, weaker fences do nothing",
    ),
];

/// The model, or a message that names those that there are.
pub(crate) fn supported(choice: ModelChoice) -> anyhow::Result<Supported> {
    let id = choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    match SUPPORTED.iter().find(|(supported, _)| supported.name.id == id) {
        Some((supported, _)) => Ok(*supported),
        None => anyhow::bail!(
            "the model `{id}` is not in this version; there is: {}",
            SUPPORTED.map(|(supported, _)| supported.name.id).join(", ")
        ),
    }
}

/// What `threadbare models` prints: one line a model.
pub(crate) fn table() -> String {
    let line = |(supported, text): &(Supported, &str)| {
        format!("{:5} {text}; plain accesses are its weakest ones and must not race\n", supported.name.id)
    };
    SUPPORTED.iter().map(line).collect()
}
