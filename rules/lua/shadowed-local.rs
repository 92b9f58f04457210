use crate::{
    facts::Facts,
    ir::{Local, LocalId},
    rule::Finding,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let shadowed = |(at, local): (usize, &Local)| {
        let name = local.name?;
        let earlier = facts.program.locals[local.shadows?.index()].name?;
        let shown = facts.source.snippet(name);
        let is_parameter = facts.program.functions[local.function.index()].params.contains(&LocalId(at as u32));
        // Whoever includes a file can't know its names.
        let elsewhere = facts.source.file_of(name.start) != facts.source.file_of(earlier.start);
        if shown.starts_with('_') || is_parameter || elsewhere {
            return None;
        }
        let finding = Finding::new(name, format!("`{shown}` hides another local of that name"));
        Some(finding.label(earlier, "this one").help("give it a name of its own"))
    };
    facts.program.locals.iter().enumerate().filter_map(shadowed).collect()
}
