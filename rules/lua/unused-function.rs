use crate::{
    facts::Facts,
    ir::{LocalId, Op},
    rule::Finding,
    source::FileId,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    // A file that only defines functions is a piece: others call them.
    if facts.is_piece {
        return Vec::new();
    }
    let read = facts.program.read_locals();
    let mut made: Vec<LocalId> = Vec::new();
    for function in &facts.program.functions {
        for inst in &function.insts {
            if let Op::Set(local, value) = inst.op
                && matches!(function.op(value), Op::Closure(_))
            {
                made.push(local);
            }
        }
    }
    let unused = |local: LocalId| {
        let name = facts.program.locals[local.index()].name?;
        let shown = facts.source.snippet(name);
        // What one script does not need of an included file, another does.
        let included = facts.source.file_of(name.start) != FileId::MAIN;
        if read.contains(&local) || shown.starts_with('_') || included {
            return None;
        }
        Some(Finding::new(name, format!("nobody calls `{shown}`")).help("remove it, or call it"))
    };
    made.into_iter().filter_map(unused).collect()
}
