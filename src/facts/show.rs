//! Values in the user's own words.

use super::{Facts, Root};
use crate::{
    eval::format_number,
    ir::{Const, LocalId, ValueId},
    origin::{Input, Origin, OriginId},
    roots::RootKind,
    source::Span,
};

/// Longer texts are cut in messages.
const SHOWN: usize = 60;

impl Facts<'_> {
    /// The instruction's value as the user would write it: by its origin, or as it stands in the text.
    pub fn show(&self, root: &Root, at: ValueId) -> String {
        let shown = self.show_origin(root, root.origin(at));
        if shown.contains('?') || shown.is_empty() { self.snippet(root, at) } else { crop(&shown) }
    }

    /// The instruction as it stands in the text, on one line.
    pub fn snippet(&self, root: &Root, at: ValueId) -> String {
        self.quote(root.span(at))
    }

    /// The text there, on one line.
    pub fn quote(&self, span: Span) -> String {
        let text = self.source.snippet(span);
        crop(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The origin as the user would write it; `?` stands for what isn't known.
    pub fn show_origin(&self, root: &Root, origin: OriginId) -> String {
        let show = |id: OriginId| self.show_origin(root, id);
        match self.origins.get(origin) {
            Origin::Unknown | Origin::Opaque(_) => "?".into(),
            Origin::Literal(constant) => self.show_const(*constant),
            Origin::Input(input) => self.input_name(root, *input),
            Origin::Builtin(builtin) => builtin.name().into(),
            Origin::Closure(function) => match self.program.functions[function.index()].name {
                Some(name) => self.source.snippet(name).into_owned(),
                None => "a function".into(),
            },
            Origin::Reply(at) => match root.event(*at) {
                Some(event) => format!("the reply of {}", event.shown_name()),
                None => "a reply".into(),
            },
            Origin::Made(_) => "a table".into(),
            Origin::Phi(local, _) | Origin::Param(local) => self.local_name(root, *local),
            Origin::Global(name) => self.texts.show(*name).into_owned(),
            Origin::Index(base, key) => self.show_index(root, *base, *key),
            Origin::Apply(builtin, parts, _) => {
                let args: Vec<String> = parts.iter().map(|&part| show(part)).collect();
                format!("{}({})", builtin.name(), args.join(", "))
            }
            Origin::Concat(parts) => {
                parts.iter().map(|&part| self.show_part(root, part)).collect::<Vec<_>>().join(" .. ")
            }
            Origin::Length(of) => format!("#{}", show(*of)),
            Origin::Not(of) => format!("not {}", show(*of)),
            Origin::Negate(of) => format!("-{}", show(*of)),
            Origin::Binary(op, a, b) => format!("{} {} {}", show(*a), op.symbol(), show(*b)),
            Origin::OneOf(parts, _) => parts.iter().map(|&part| show(part)).collect::<Vec<_>>().join(" or "),
            Origin::Past(inner) => show(*inner),
        }
    }

    /// As a part of an expression.
    fn show_part(&self, root: &Root, origin: OriginId) -> String {
        let shown = self.show_origin(root, origin);
        match self.origins.get(self.origins.present(origin)) {
            Origin::Reply(at) => match root.event(*at) {
                Some(event) => format!("{}(...)", event.shown_name()),
                None => shown,
            },
            Origin::OneOf(..) | Origin::Binary(..) | Origin::Not(_) => format!("({shown})"),
            _ => shown,
        }
    }

    fn show_index(&self, root: &Root, base: OriginId, key: OriginId) -> String {
        let base = self.show_part(root, base);
        match self.origins.constant(key) {
            Some(Const::Text(name)) if is_name(self.texts.get(name)) => {
                format!("{base}.{}", self.texts.show(name))
            }
            _ => match self.show_origin(root, key).as_str() {
                // Which element it is changes nothing of the story.
                key if key.contains('?') => format!("{base}[i]"),
                key => format!("{base}[{key}]"),
            },
        }
    }

    /// `KEYS` or `ARGV`; in a registered function the parameter that takes its place.
    pub fn input_name(&self, root: &Root, input: Input) -> String {
        let param = match (root.kind, input) {
            (RootKind::Callback { keys, .. }, Input::Keys) => keys,
            (RootKind::Callback { argv, .. }, Input::Argv) => argv,
            (RootKind::Script | RootKind::Helper, Input::Keys | Input::Argv) => None,
        };
        param.map_or_else(|| input.name().into(), |param| self.local_name(root, param))
    }

    fn local_name(&self, root: &Root, local: LocalId) -> String {
        match root.local(&self.program, local).name {
            Some(name) => self.source.snippet(name).into_owned(),
            None => "?".into(),
        }
    }

    fn show_const(&self, constant: Const) -> String {
        match constant {
            Const::Nil => "nil".into(),
            Const::False => "false".into(),
            Const::True => "true".into(),
            Const::Number(number) => format_number(number.get()),
            Const::Text(text) => format!("'{}'", self.texts.show(text).escape_debug()),
        }
    }
}

fn is_name(text: &[u8]) -> bool {
    text.first().is_some_and(|first| !first.is_ascii_digit())
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn crop(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into(),
    }
}
