use rustc_hash::FxHashMap;

use crate::{
    absence,
    commands::Shape,
    facts::{Facts, Root},
    holes,
    ir::{Const, Op, ValueId},
    origin::{Origin, OriginId},
    returns::{self, Field, Sent, Table},
    rule::{Edit, Finding, Safety, Severity, one_per_root},
    source::Span,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for (n, root) in facts.roots.iter().enumerate() {
        let mut returned: FxHashMap<ValueId, Span> = FxHashMap::default();
        for exit in returns::exits(facts, root) {
            for sent in exit.tables(facts, root) {
                if returns::reply_field(facts, sent.table).is_some() {
                    continue;
                }
                returned.entry(sent.made).or_insert(exit.span);
                found.extend(gap(facts, root, &sent).map(|finding| ((n, sent.made), finding)));
            }
        }
        for hole in holes::holes(facts, root, &|made| returned.contains_key(&made)) {
            let message = format!(
                "`{}` is left out on some rounds: the client gets the elements up to the first that is missing",
                facts.quote(root.span(hole.set))
            );
            let finding = Finding::new(root.span(hole.set), message)
                .grade(Severity::Warning)
                .label(returned[&hole.made], "returned here")
                .help("append with `t[#t + 1] = ...`, or set `false` on the other rounds")
                .labels(root.call_labels(hole.set));
            found.push(((n, hole.made), finding));
        }
    }
    one_per_root(found, "here too")
}

/// An element that is nil, or may be, before one that is not.
fn gap(facts: &Facts, root: &Root, sent: &Sent) -> Option<Finding> {
    let table = sent.table;
    let last = last_sure(table)?;
    for n in 1..last {
        let Some(field) = returns::element(table, n) else {
            // It may stand among those of which nobody knows the number.
            return if table.rest.is_some() && !table.rest_keys.within(Kinds::STRING) {
                None
            } else {
                let message = format!("the client gets only the elements before number {n}: it is never set");
                let finding =
                    Finding::new(root.span(sent.made), message).help("set `false`, which the client gets as nil");
                Some(finding.labels(root.call_labels(sent.made)))
            };
        };
        let kinds = field.value.kinds;
        if kinds.within(Kinds::NIL) {
            let message = format!("the client gets only the elements before number {n}: it is nil");
            let finding = Finding::new(returns::place(root, sent.made, field), message)
                .help("use `false`, which the client gets as nil")
                .labels(root.call_labels(sent.made));
            let literal = matches!(root.op(field.at), Op::Const(Const::Nil)) && root.inst(field.at).via.is_none();
            let edit = Edit { span: root.span(field.at), text: "false".into() };
            return Some(if literal { finding.fix(Safety::Safe, vec![edit]) } else { finding });
        }
        if kinds == Kinds::ANY {
            return None;
        }
        if kinds.may_be(Kinds::NIL) {
            return may_be_nil(facts, root, sent, n, field);
        }
    }
    None
}

/// The last element that is there for certain.
fn last_sure(table: &Table) -> Option<u32> {
    let number = |key: &Const| match *key {
        Const::Number(number) if 1.0 < number.get() && number.get().fract() == 0.0 => Some(number.get() as u32),
        Const::Number(_) | Const::Nil | Const::False | Const::True | Const::Text(_) => None,
    };
    let sure = |field: &Field| !field.value.kinds.may_be(Kinds::NIL);
    table.fields.iter().filter(|(_, field)| sure(field)).filter_map(|(key, _)| number(key)).max()
}

fn may_be_nil(facts: &Facts, root: &Root, sent: &Sent, n: u32, field: &Field) -> Option<Finding> {
    let why = nil(facts, root, field)?;
    let shown = facts.snippet(root, field.at);
    let message = format!("`{shown}` may be nil: then the client gets only the elements before number {n}");
    let mut finding = Finding::new(returns::place(root, sent.made, field), message)
        .grade(Severity::Warning)
        .help(format!("write `{shown} or false`: the client gets false as nil"));
    let label = match why {
        Nil::Reply(call) => Some((root.span(call), "gives nothing if there is nothing")),
        Nil::Unset | Nil::Text => None,
    };
    if let Some((span, message)) = label.filter(|&(span, _)| span != finding.span) {
        finding = finding.label(span, message);
    }
    if root.inst(field.at).via.is_none() && root.function.op(field.at) != &Op::Const(Const::Nil) {
        let end = root.span(field.at).end;
        let edit = Edit { span: Span::new(end, end), text: " or false".into() };
        finding = finding.fix(Safety::Safe, vec![edit]);
    }
    finding.labels.extend(root.call_labels(sent.made));
    Some(if matches!(why, Nil::Text) { finding.strict() } else { finding })
}

/// Where a nil comes from.
enum Nil {
    /// The reply of this call, which may hold nothing.
    Reply(ValueId),
    /// A path that sets nothing.
    Unset,
    /// A text that may not fit a pattern, or be no number.
    Text,
}

fn nil(facts: &Facts, root: &Root, field: &Field) -> Option<Nil> {
    let mut found = None;
    for origin in absence::sources(facts, root, field.value.origin) {
        let nil = match facts.origins.get(facts.origins.present(origin)) {
            Origin::Literal(Const::Nil) => Nil::Unset,
            Origin::Apply(builtin, _, 0) => match builtin.name() {
                "tonumber" => converted(facts, root, origin)?,
                "string.match" | "string.find" => Nil::Text,
                _ => continue,
            },
            Origin::Index(base, _) => match *facts.origins.get(facts.origins.present(*base)) {
                Origin::Reply(call) => {
                    let event = root.event(call)?;
                    if event.reply.element == Kinds::ANY || event.reply.shape == Shape::Nested {
                        return None;
                    }
                    Nil::Reply(call)
                }
                _ => return None,
            },
            Origin::Unknown | Origin::Opaque(_) | Origin::Param(_) | Origin::Global(_) | Origin::Phi(..) => {
                return None;
            }
            _ => continue,
        };
        found = match (found, nil) {
            (None | Some(Nil::Text), nil) => Some(nil),
            (found, _) => found,
        };
    }
    found
}

/// Is the number missing because there is no reply, or because of what the text holds?
fn converted(facts: &Facts, root: &Root, origin: OriginId) -> Option<Nil> {
    let call = root.calls_of("tonumber").find(|&at| root.origin(at) == origin)?;
    let Op::Call { args, .. } = root.op(call) else { return None };
    match absence::absent(facts, root, root.value(*args.first()?)) {
        Some(event) if absence::is_known_present(facts, root, event, call) => None,
        Some(event) => Some(Nil::Reply(event.at)),
        None => Some(Nil::Text),
    }
}
