use crate::{
    builtins::{Effect, Sort},
    facts::{Facts, Form, Root},
    ir::{Op, ValueId},
    origin::Origin,
    roots::RootKind,
    rule::Finding,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    facts.roots.iter().filter_map(|root| read_only(facts, root)).collect()
}

fn read_only(facts: &Facts, root: &Root) -> Option<Finding> {
    let (span, help) = match root.kind {
        RootKind::Script if !facts.is_library => {
            let shebang = facts.shebang.as_ref()?;
            if shebang.has_flag("no-writes") {
                return None;
            }
            (shebang.span, "add it: `flags=no-writes`")
        }
        RootKind::Callback { .. } => {
            let registration = facts.registration(root)?;
            if !registration.flags_known(&facts.texts) || registration.flag(facts, "no-writes").is_some() {
                return None;
            }
            let name = registration.name(&facts.texts)?;
            (facts.main().span(name.at), "register it with `flags = { 'no-writes' }`")
        }
        RootKind::Script | RootKind::Helper => return None,
    };
    let reads = |event: &crate::events::Event| {
        event.command.is_some_and(|command| !command.is_write() && !command.may_replicate())
    };
    if root.events().is_empty()
        || !root.events().iter().all(reads)
        || !root.all(Form::Call).all(|at| is_seen(facts, root, at))
    {
        return None;
    }
    let message = "it only reads, but does not say `no-writes`: the server takes it for a write";
    Some(Finding::new(span, message).help(help))
}

/// Is it no call, or one of which everything is known?
fn is_seen(facts: &Facts, root: &Root, at: ValueId) -> bool {
    let Op::Call { callee, args, .. } = root.op(at) else { return true };
    match *facts.origins.get(facts.origins.present(root.origin(*callee))) {
        Origin::Builtin(builtin) => match builtin.get().sort {
            Sort::Function { effect: Effect::Calls, .. } => {
                root.event(at).is_some() || !args.iter().any(|&arg| root.value(arg).kinds.may_be(Kinds::FUNCTION))
            }
            Sort::Function { .. } => true,
            Sort::Library | Sort::Value(_) => false,
        },
        Origin::Apply(..) => root.value(*callee).kinds.within(Kinds::FUNCTION),
        _ => false,
    }
}
