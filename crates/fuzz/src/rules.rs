//! What a random run needs to know of a memory model.

use model::{Model, Orders};

/// Which accesses synchronise, and what SC events do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rules {
    pub(crate) orders: Orders,
    /// Do later writes of a thread to a location continue the release sequence of its release write (C11)?
    pub(crate) same_thread: bool,
    pub(crate) sc: ScEvents,
}

/// What SC events do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScEvents {
    /// Nothing but what weaker ones do.
    Nothing,
    /// A fence is an acquire-release read-modify-write of a location of its own, accesses are as weaker ones (RA, RC20).
    FenceIsUpdate,
    /// `psc` has no cycle (RC11). If there are many, we take the order in which they come.
    Ordered,
    /// There is one order of all accesses (SC).
    Interleaving,
}

impl Rules {
    /// The rules of a model that has random runs.
    pub(crate) fn of(model: Model) -> Option<Rules> {
        let rules = |orders, same_thread, sc| Some(Rules { orders, same_thread, sc });
        match model {
            Model::Rc11 => rules(Orders::AsWritten, true, ScEvents::Ordered),
            Model::Rc20 => rules(Orders::AsWritten, false, ScEvents::FenceIsUpdate),
            Model::Ra => rules(Orders::Uniform, false, ScEvents::FenceIsUpdate),
            Model::Relaxed => rules(Orders::Ignored, false, ScEvents::Nothing),
            Model::Sc => rules(Orders::Uniform, false, ScEvents::Interleaving),
            Model::Tso | Model::Sra | Model::Wra | Model::Wrc11 | Model::Xmm => None,
        }
    }
}
