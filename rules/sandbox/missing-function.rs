use crate::{
    builtins::{self, BUILTINS, Sort},
    facts::{Facts, Root},
    ir::{Op, ValueId},
    origin::Origin,
    rule::Finding,
    target::closest,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let stage = facts.stage(root);
        for at in root.insts() {
            let Op::Index(base, key) = root.op(at) else { continue };
            let Origin::Builtin(library) = *facts.origins.get(root.origin(*base)) else { continue };
            let Some(name) = facts.text(root.value(*key)) else { continue };
            let name = String::from_utf8_lossy(name);
            if library.get().sort != Sort::Library
                || library.name() == "_G"
                || root.is_protected(at)
                || is_tested(root, at)
            {
                continue;
            }
            let full = format!("{}.{name}", library.name());
            let known = builtins::field(library, &name).is_some();
            let targets = facts.targets_where(|target| !known || builtins::is_missing(&full, target, stage));
            if targets.is_empty() || is_tested(root, at) {
                continue;
            }
            let finding = Finding {
                targets,
                ..Finding::new(root.span(at), format!("`{}` has no `{name}`: it is nil", library.name()))
            };
            let prefix = format!("{}.", library.name());
            let fields = BUILTINS.iter().filter_map(|builtin| builtin.name.strip_prefix(&prefix));
            let near = closest(&name, fields).filter(|near| *near != name);
            let unpack = (full == "table.unpack").then_some("call `unpack`".to_owned());
            let help = unpack.or_else(|| near.map(|near| format!("did you mean `{prefix}{near}`?")));
            let finding = match help {
                Some(help) => finding.help(help),
                None => finding,
            };
            findings.push(finding.labels(root.call_labels(at)));
        }
    }
    findings
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
