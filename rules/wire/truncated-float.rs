use crate::{
    commands::Shape,
    facts::{Facts, Root},
    fractions,
    ir::{BinaryOp, Const, Op},
    origin::{Origin, OriginId},
    returns::{self, Field},
    rule::{Edit, Finding, Safety, one_per_root},
    source::Span,
    value::Kinds,
};

/// Commands that answer a number with a fraction, as text.
const FLOATS: [&str; 7] = ["GEODIST", "HINCRBYFLOAT", "INCRBYFLOAT", "ZINCRBY", "ZMSCORE", "ZRANDMEMBER", "ZSCORE"];

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for root in &facts.roots {
        for exit in returns::exits(facts, root) {
            for field in exit.scalars(facts, root) {
                found.extend(cut(facts, root, field));
            }
        }
    }
    one_per_root(found, "here too")
}

fn cut(facts: &Facts, root: &Root, field: Field) -> Option<(OriginId, Finding)> {
    let made = fractions::maker(facts, root, field.value);
    let command = if made.is_none() { Some(float(facts, root, field)?) } else { None };
    if made.is_some_and(|maker| unpacks(facts, maker)) {
        return None;
    }
    let shown = facts.snippet(root, field.at);
    let lost = format!("the reply holds only the whole part of `{shown}`");
    let (cause, finding) = if let Some(maker) = made {
        let finding = Finding::new(root.span(field.at), format!("{lost}: Redis cuts a number's fraction off"));
        let made = fractions::place(root, maker).map(|at| root.span(at)).filter(|&span| span != root.span(field.at));
        (
            maker,
            match made {
                Some(span) => finding.label(span, "this may be a fraction"),
                None => finding,
            },
        )
    } else {
        let command = command?;
        let message = format!("{lost}: {command} answers a number that may have a fraction");
        (field.value.origin, Finding::new(root.span(field.at), message).strict())
    };
    let help = match made {
        Some(_) => "return text, `tostring(...)`, or round it on purpose, `math.floor(...)`",
        None => "return the text as it came, or round it on purpose, `math.floor(...)`",
    };
    let finding = finding.help(help).labels(root.call_labels(field.at));
    let own = root.inst(field.at).via.is_none() && field.value.kinds.within(Kinds::NUMBER);
    let edits = match (made, root.op(field.at)) {
        (Some(_), _) => as_text(root.span(field.at)),
        (None, Op::Call { args, .. }) => unconverted(root.span(field.at), root.span(*args.first()?)),
        (None, _) => Vec::new(),
    };
    Some((cause, if own && !edits.is_empty() { finding.fix(Safety::Unsafe, edits) } else { finding }))
}

/// `x / 0x1000` takes the upper bits out of a packed number: the whole part is what is wanted.
fn unpacks(facts: &Facts, maker: OriginId) -> bool {
    let Origin::Binary(BinaryOp::Div, _, by) = *facts.origins.get(maker) else { return false };
    matches!(facts.origins.constant(by), Some(Const::Number(by)) if 256.0 <= by.get() && by.get().log2().fract() == 0.0)
}

/// The command whose reply became the number by `tonumber`, if it answers floats.
fn float(facts: &Facts, root: &Root, field: Field) -> Option<&'static str> {
    if field.value.kinds == Kinds::ANY || !field.value.kinds.may_be(Kinds::FRACTION) {
        return None;
    }
    let Origin::Apply(builtin, parts, 0) = facts.origins.get(facts.origins.present(field.value.origin)) else {
        return None;
    };
    let (event, subject) = match (builtin.name(), &parts[..]) {
        ("tonumber", &[subject]) => (root.event(facts.origins.reply(subject)?)?, subject),
        _ => return None,
    };
    let command = event.command?.name;
    let whole = matches!(facts.origins.get(facts.origins.present(subject)), Origin::Reply(_));
    let score = event.reply.shape == Shape::Pairs && !whole && command.starts_with('Z');
    (score || FLOATS.contains(&command)).then_some(command)
}

/// The argument of a call instead of the call.
fn unconverted(call: Span, arg: Span) -> Vec<Edit> {
    [Span::new(call.start, arg.start), Span::new(arg.end, call.end)]
        .into_iter()
        .map(|span| Edit { span, text: String::new() })
        .collect()
}

fn as_text(span: Span) -> Vec<Edit> {
    vec![
        Edit { span: Span::new(span.start, span.start), text: "tostring(".into() },
        Edit { span: Span::new(span.end, span.end), text: ")".into() },
    ]
}
