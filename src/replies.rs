//! What a command leaves in its keys.

use crate::{commands::Command, keyspace::Types};

/// What the key may hold after the call.
pub fn types_after(_command: &Command, _arg: usize, before: Types) -> Types {
    before
}
