use crate::{
    commands::ArgType,
    facts::Facts,
    fractions,
    rule::{Finding, one_per_root},
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for root in &facts.roots {
        for event in root.events().iter().filter(|event| event.raises() && !root.is_protected(event.at)) {
            for arg in event.args.iter().filter(|arg| arg.spread.is_none()) {
                let whole = matches!(arg.takes, Some(ArgType::Integer | ArgType::UnixTime));
                if !whole || !arg.value.kinds.within(Kinds::NUMBER.or(Kinds::NIL)) {
                    continue;
                }
                let Some(maker) = fractions::maker(facts, root, arg.value) else { continue };
                let shown = facts.snippet(root, arg.at);
                let message = format!(
                    "`{shown}` may be a fraction: {} takes whole numbers only, anything else is an error",
                    event.shown_name()
                );
                let mut finding = Finding::new(root.span(arg.at), message)
                    .help(format!("round it: `math.floor({shown})` or `math.ceil({shown})`"));
                if let Some(span) = fractions::place(root, maker).map(|at| root.span(at))
                    && span != root.span(arg.at)
                {
                    finding = finding.label(span, "this may be a fraction");
                }
                finding.labels.extend(root.call_labels(event.at));
                found.push((maker, finding));
            }
        }
    }
    one_per_root(found, "here too")
}
