use crate::{
    builtins::{self, BUILTINS},
    facts::Facts,
    ir::Op,
    rule::Finding,
    target::closest,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    if facts.is_piece {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for root in facts.roots.iter().filter(|root| root.is_whole()) {
        for at in root.insts() {
            let Op::Global(name) = root.op(at) else { continue };
            let name = facts.texts.show(*name);
            let known = builtins::builtin(&name).is_some();
            // The script's own function of that name is told of where it is made.
            let made = || {
                root.insts().any(|at| matches!(root.op(at), Op::SetGlobal(set, _) if facts.texts.show(*set) == name))
            };
            if matches!(&*name, "KEYS" | "ARGV" | "arg")
                || facts.globals.iter().any(|global| *global == *name)
                || root.is_protected(at)
            {
                continue;
            }
            let targets = facts.targets_where(|target| !known || builtins::is_lacking(&name, target));
            if targets.is_empty() || (!known && made()) {
                continue;
            }
            let finding = Finding {
                targets,
                ..Finding::new(root.span(at), format!("no global is called `{name}`: reading it ends the script"))
            };
            let names = BUILTINS.iter().map(|builtin| builtin.name).filter(|name| !name.contains('.'));
            let near = closest(&name, names.chain(["KEYS", "ARGV"])).filter(|near| *near != name);
            let finding = match near {
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding.help("declare it with `local`, or pass it in ARGV"),
            };
            findings.push(finding.labels(root.call_labels(at)));
        }
    }
    findings
}
