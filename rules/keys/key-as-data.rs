use rustc_hash::FxHashMap;

use crate::{
    builtins::{BuiltinId, Effect, Sort},
    events::Event,
    facts::{Facts, Root},
    ir::{BinaryOp, Op, ValueId},
    origin::{Input, Origin, OriginId},
    rule::{Finding, Label, Part},
    source::Span,
};

type Elements<'a> = FxHashMap<u32, Element<'a>>;

#[derive(Clone, Copy)]
enum Used<'a> {
    Data(&'a Event),
    Number,
}

impl Used<'_> {
    fn shown(self) -> String {
        match self {
            Used::Data(event) => format!("data for {}", event.shown_name()),
            Used::Number => "a number".into(),
        }
    }
}

/// What a script does with one element of KEYS.
#[derive(Default)]
struct Element<'a> {
    /// Where it is used as data, and as what.
    data: Option<(Span, Used<'a>)>,
    /// Is it used as a key or a channel, in a key's name, or where nobody knows?
    other: bool,
}

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    if !facts.is_library {
        return told(facts, &facts.roots).into_iter().collect();
    }
    // Each function of a library has keys of its own.
    facts.roots.iter().filter_map(|root| told(facts, std::slice::from_ref(root))).collect()
}

fn told(facts: &Facts, roots: &[Root]) -> Option<Finding> {
    let mut elements = Elements::default();
    for root in roots {
        if !look(facts, root, &mut elements) {
            return None;
        }
    }
    let data = |(number, element): (u32, Element)| {
        let (span, used) = element.data.filter(|_| !element.other)?;
        Some((number, (span, used.shown())))
    };
    let mut found: Vec<(u32, (Span, String))> = elements.into_iter().filter_map(data).collect();
    found.sort();
    let mut found = found.into_iter();
    let (number, (span, used)) = found.next()?;
    let [keys, argv] = [Input::Keys, Input::Argv].map(|input| facts.input_name(&roots[0], input));
    let mut finding = Finding::new(span, format!("`{keys}[{number}]` is never a key, only {used}"));
    finding.labels = found
        .map(|(number, (span, used))| Label {
            span,
            message: format!("`{keys}[{number}]` is only {used}, too"),
            part: Part::Aside,
        })
        .collect();
    Some(finding.help(format!("pass it in {argv}")))
}

/// Notes what a root does with elements of KEYS. False: any of them may be a key.
fn look<'a>(facts: &Facts, root: &'a Root, elements: &mut Elements<'a>) -> bool {
    for event in root.events() {
        let channel = event.command.is_some_and(|command| matches!(command.name, "PUBLISH" | "SPUBLISH"));
        for (n, arg) in event.args.iter().enumerate() {
            let is_key = event.keys.iter().any(|key| key.arg == n);
            let unclear = event.keys_partial || event.command.is_none() || arg.spread.is_some();
            let is_list = *facts.origins.get(arg.value.origin) == Origin::Input(Input::Keys);
            if (is_key || unclear) && (is_list || may_be_any(facts, arg.value.origin)) {
                return false;
            }
            let data = !(is_key || unclear || channel && n == 0);
            note(facts, elements, arg.value.origin, data.then(|| (root.span(arg.at), Used::Data(event))));
        }
    }
    for at in root.insts() {
        let elsewhere = |elements: &mut Elements<'a>, value: ValueId| {
            let origin = root.origin(value);
            if *facts.origins.get(origin) == Origin::Input(Input::Keys) || may_be_any(facts, origin) {
                return false;
            }
            note(facts, elements, origin, None);
            true
        };
        let number = |elements: &mut Elements<'a>, value: ValueId| {
            note(facts, elements, root.origin(value), Some((root.span(value), Used::Number)));
        };
        match root.op(at) {
            Op::Call { callee, args, .. } => {
                let effect = match facts.origins.get(root.origin(*callee)) {
                    Origin::Builtin(builtin) => Some((builtin.name(), effect(*builtin))),
                    _ => None,
                };
                match effect {
                    Some(("tonumber", _)) => args.iter().for_each(|&arg| number(elements, arg)),
                    // Events were looked at above.
                    Some((_, Some(Effect::Sends | Effect::None))) => {}
                    // It goes into a table, or to code that nobody sees.
                    Some((_, Some(Effect::Fills | Effect::Calls) | None)) | None => {
                        if !args.iter().all(|&arg| elsewhere(elements, arg)) {
                            return false;
                        }
                    }
                }
            }
            Op::SetIndex { value, .. } => {
                if !elsewhere(elements, *value) {
                    return false;
                }
            }
            Op::Binary(op, a, b) if op.is_arithmetic() => [*a, *b].into_iter().for_each(|one| number(elements, one)),
            Op::Negate(a) => number(elements, *a),
            // Where its name becomes a part of another, that may be a key.
            Op::Binary(BinaryOp::Concat, a, b) => {
                for &one in [a, b] {
                    elsewhere(elements, one);
                }
            }
            Op::Binary(..)
            | Op::Const(_)
            | Op::Unknown
            | Op::Vararg
            | Op::Closure(_)
            | Op::Table
            | Op::Global(_)
            | Op::SetGlobal(..)
            | Op::Get(_)
            | Op::Set(..)
            | Op::Forget(_)
            | Op::Index(..)
            | Op::SetTail { .. }
            | Op::Not(_)
            | Op::Length(_)
            | Op::Extra(..) => {}
        }
    }
    true
}

fn effect(builtin: BuiltinId) -> Option<Effect> {
    match builtin.get().sort {
        Sort::Function { effect, .. } => Some(effect),
        Sort::Library | Sort::Value(_) => None,
    }
}

/// Is it an element of KEYS, but nobody knows which?
fn may_be_any(facts: &Facts, origin: OriginId) -> bool {
    let is_any = |way| matches!(facts.origins.element(way), Some((Input::Keys, None)));
    facts.origins.alternatives(origin).into_iter().any(is_any)
}

/// The value is used as data, or (`None`) otherwise.
fn note<'a>(facts: &Facts, elements: &mut Elements<'a>, origin: OriginId, data: Option<(Span, Used<'a>)>) {
    let ways = facts.origins.alternatives(origin);
    for way in &ways {
        let Some((Input::Keys, Some(number))) = facts.origins.element(*way) else {
            // A part of the name of something.
            facts.origins.leaves(*way, &mut |leaf, _| {
                if let Some((Input::Keys, Some(number))) = facts.origins.element(leaf)
                    && data.is_none()
                {
                    elements.entry(number).or_default().other = true;
                }
            });
            continue;
        };
        let element = elements.entry(number).or_default();
        match data {
            Some(data) if ways.len() == 1 => {
                if element.data.is_none_or(|known| data.0 < known.0) {
                    element.data = Some(data);
                }
            }
            Some(_) => {}
            None => element.other = true,
        }
    }
}
