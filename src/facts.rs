//! What rules see of a script.

/// A finished, immutable model of one script.
pub struct Facts {}
