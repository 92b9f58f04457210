//! `prelude = ["lua/common.lua"]`: what the host puts before each script defines names for it.

use crate::{
    ir::{FuncId, Op},
    lower, parse,
    source::Source,
};

/// The names of the text's globals and of the main chunk's locals.
pub(super) fn names(path: &str, text: Vec<u8>) -> Vec<String> {
    let source = Source::file(path, text);
    let Ok(parsed) = parse::parse(&source) else { return Vec::new() };
    let program = lower::lower(&source, parsed);
    let main = program.locals.iter().filter(|local| local.function == FuncId(0));
    let mut names: Vec<String> = main.filter_map(|local| Some(source.snippet(local.name?).into_owned())).collect();
    for inst in program.functions.iter().flat_map(|function| &function.insts) {
        if let Op::SetGlobal(name, _) = inst.op {
            names.push(program.texts.show(name).into_owned());
        }
    }
    names
}
