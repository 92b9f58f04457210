use crate::{
    builtins::{BUILTINS, Sort},
    facts::{Facts, Form, Root},
    ir::{Op, ValueId},
    origin::Origin,
    rule::Finding,
    target::closest,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let stage = facts.stage(root);
        for at in root.all(Form::Index) {
            let Op::Index(base, key) = root.op(at) else { continue };
            let Origin::Builtin(library) = *facts.origins.get(root.origin(*base)) else { continue };
            if library.get().sort != Sort::Library || library.name() == "_G" {
                continue;
            }
            let known = match *facts.origins.get(root.origin(at)) {
                Origin::Builtin(field) => Some(field),
                _ => None,
            };
            let lacks = |target| known.is_none_or(|field| field.is_missing(target, stage));
            if !facts.targets.iter().copied().any(lacks) || root.is_protected(at) || is_tested(root, at) {
                continue;
            }
            let Some(name) = facts.text(root.value(*key)) else { continue };
            let name = String::from_utf8_lossy(name);
            let targets = facts.targets_where(lacks);
            let full = format!("{}.{name}", library.name());
            let finding = Finding {
                targets,
                ..Finding::new(root.span(at), format!("`{}` has no `{name}`: it is nil", library.name()))
            };
            let prefix = format!("{}.", library.name());
            let fields = BUILTINS.iter().filter_map(|builtin| builtin.name.strip_prefix(&prefix));
            let near = closest(&name, fields).filter(|near| *near != name);
            let help = instead(&full).or_else(|| near.map(|near| format!("did you mean `{prefix}{near}`?")));
            let finding = match help {
                Some(help) => finding.help(help),
                None => finding,
            };
            findings.push(finding.labels(root.call_labels(at)));
        }
    }
    findings
}

/// What to write for a function of another Lua.
fn instead(name: &str) -> Option<String> {
    let help = match name {
        "table.unpack" => "call `unpack`",
        "table.pack" => "write `{...}`, and `select('#', ...)` for the number",
        "os.time" | "os.date" => "ask the server for the time: `redis.call('TIME')`",
        "math.tointeger" => "call `math.floor`",
        "math.type" => "test for a whole number: `x % 1 == 0`",
        _ => return None,
    };
    Some(help.into())
}

/// Is the field only looked at: as a condition, compared, or kept for later? `table.unpack or unpack` is a test.
fn is_tested(root: &Root, at: ValueId) -> bool {
    root.ends_block(at)
        || root.users(at).iter().any(|&user| match root.op(user) {
            Op::Not(_) => true,
            Op::Binary(op, ..) => !op.is_arithmetic() && !op.is_order(),
            _ => false,
        })
}
