//! What a library registers: its calls of `redis.register_function`, as the main chunk makes them.

pub use crate::eval::Field;
use crate::{
    builtins::Stage,
    facts::{Facts, Root},
    ir::{Const, FuncId, Texts, ValueId},
    origin::{Origin, Origins},
    roots::RootKind,
    source::Span,
};

/// One call of `redis.register_function`.
#[derive(Clone, PartialEq, Debug)]
pub struct Registration {
    pub at: ValueId,
    pub form: Form,
    /// What stands in the table of flags, if it is known.
    pub flags: Option<Vec<Field>>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Form {
    /// `register_function('name', callback)`, with any number of arguments.
    Positional(Vec<Field>),
    /// `register_function{ function_name = 'name', callback = callback }`: all fields.
    Named(Vec<(Const, Field)>),
    /// Nobody knows what is passed.
    Unknown,
}

impl Registration {
    pub fn name(&self, texts: &Texts) -> Option<Field> {
        match &self.form {
            Form::Positional(args) => args.first().copied(),
            Form::Named(_) => self.field(texts, "function_name"),
            Form::Unknown => None,
        }
    }

    /// The callback's function, if it is one of the text.
    pub fn callback(&self, origins: &Origins, texts: &Texts) -> Option<FuncId> {
        let callback = match &self.form {
            Form::Positional(args) => args.get(1).copied(),
            Form::Named(_) => self.field(texts, "callback"),
            Form::Unknown => None,
        };
        let Origin::Closure(function) = *origins.get(callback?.value.origin) else { return None };
        Some(function)
    }

    /// The named argument.
    pub fn field(&self, texts: &Texts, name: &str) -> Option<Field> {
        let Form::Named(fields) = &self.form else { return None };
        let is_it = |key: Const| matches!(key, Const::Text(text) if texts.get(text) == name.as_bytes());
        fields.iter().find(|(key, _)| is_it(*key)).map(|&(_, field)| field)
    }

    /// Where the flag is given.
    pub fn flag(&self, facts: &Facts, name: &str) -> Option<Span> {
        let root = facts.main();
        let is_it = |field: &&Field| facts.text(field.value) == Some(name.as_bytes());
        self.flags.iter().flatten().find(is_it).map(|field| root.span(field.at))
    }

    /// Are all its flags known?
    pub fn flags_known(&self, texts: &Texts) -> bool {
        match &self.form {
            Form::Positional(_) => true,
            Form::Named(_) => self.flags.is_some() || self.field(texts, "flags").is_none(),
            Form::Unknown => false,
        }
    }
}

impl Facts<'_> {
    /// The main chunk.
    pub fn main(&self) -> &Root {
        &self.roots[0]
    }

    /// When does the root run?
    pub fn stage(&self, root: &Root) -> Stage {
        match root.kind {
            RootKind::Script if self.is_library => Stage::Load,
            RootKind::Script | RootKind::Helper if !self.is_library => Stage::Eval,
            RootKind::Script | RootKind::Helper | RootKind::Callback { .. } => Stage::Function,
        }
    }

    /// How the root registers: of callbacks only.
    pub fn registration(&self, root: &Root) -> Option<&Registration> {
        match root.kind {
            RootKind::Callback { .. } => {
                self.registrations.iter().find(|one| one.callback(&self.origins, &self.texts) == Some(root.id))
            }
            RootKind::Script | RootKind::Helper => None,
        }
    }
}
