use crate::{parse::SyntaxError, rule::Finding};

pub(crate) fn finding(error: SyntaxError) -> Finding {
    Finding { help: error.help, ..Finding::new(error.span, error.message) }
}
