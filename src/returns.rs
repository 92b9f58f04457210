//! What the client gets: the values that a script or a registered function returns, with what their tables hold.
//!
//! Of a table the server sends the elements 1, 2, 3 ... up to the first nil, and nothing else; unless a *reply field* such as `ok` or
//! `err` makes it a reply of another type.

use rustc_hash::FxHashSet;

use crate::{
    eval::Contents,
    facts::{Facts, Root},
    ir::{BlockId, Const, Number, Op, Terminator, ValueId},
    origin::{Origin, OriginId, Site},
    roots::RootKind,
    rule::{Finding, one_per_root},
    source::Span,
    value::Kinds,
};

pub(crate) use crate::eval::{Field, Table};

/// A `return` that answers the client.
pub(crate) struct Exit<'a> {
    pub(crate) block: BlockId,
    /// The statement, or the empty end of the text.
    pub(crate) span: Span,
    /// The first value; the client gets no other.
    pub(crate) value: Option<ValueId>,
    tables: Option<&'a Contents>,
}

/// A table that the client gets, alone or as an element.
pub(crate) struct Sent<'a> {
    /// The instruction that built it.
    pub(crate) made: ValueId,
    pub(crate) table: &'a Table,
}

/// The reached returns of the root, in the order of the text; none if they answer nobody: of a library's main chunk, of a helper.
pub(crate) fn exits<'a>(facts: &Facts, root: &'a Root) -> Vec<Exit<'a>> {
    let is_library = || facts.roots.iter().any(|root| matches!(root.kind, RootKind::Callback { .. }));
    match root.kind {
        RootKind::Script if is_library() => return Vec::new(),
        RootKind::Helper => return Vec::new(),
        RootKind::Script | RootKind::Callback { .. } => {}
    }
    let exit = |block: BlockId| match &root.function.block(block).end {
        Terminator::Return { values, span, .. } => Some(Exit {
            block,
            span: *span,
            value: values.first().copied(),
            tables: root.values.handed.get(&Site::Block(block)),
        }),
        Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Raise => None,
    };
    let mut exits: Vec<Exit> = root.blocks().filter_map(exit).collect();
    exits.sort_by_key(|exit| exit.span.start);
    exits
}

/// What is judged of each table that the client gets, one finding for each table of each root; `also`: the other places where it goes
/// out.
pub(crate) fn of_tables(
    facts: &Facts,
    also: &str,
    judge: impl Fn(&Root, &Exit, &Sent) -> Option<Finding>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for (n, root) in facts.roots.iter().enumerate() {
        for exit in exits(facts, root) {
            for sent in exit.tables(facts, root) {
                found.extend(judge(root, &exit, &sent).map(|finding| ((n, sent.made), finding)));
            }
        }
    }
    one_per_root(found, also)
}

impl<'a> Exit<'a> {
    /// The tables that the client gets from here, outer before inner. One with functions in it is a module, and no answer.
    pub(crate) fn tables(&self, facts: &Facts, root: &Root) -> Vec<Sent<'a>> {
        let (Some(contents), Some(value)) = (self.tables, self.value) else { return Vec::new() };
        let mut sent = Vec::new();
        let mut seen = FxHashSet::default();
        let mut left = made(facts, root.origin(value));
        left.reverse();
        while let Some(at) = left.pop() {
            let Some(table) = contents.get(&at) else { continue };
            if table.open || !seen.insert(at) {
                continue;
            }
            if table.all_fields().any(|field| field.value.kinds.within(Kinds::FUNCTION)) {
                return Vec::new();
            }
            left.extend(elements(table).flat_map(|field| made(facts, field.value.origin)));
            sent.push(Sent { made: at, table });
        }
        sent
    }

    /// What the table holds here, if the client gets it.
    pub(crate) fn contents(&self, made: ValueId) -> Option<&'a Table> {
        self.tables?.get(&made).map(|table| &**table)
    }

    /// What the client gets, alone or as an element of a table: the instruction that made it and what it can be.
    pub(crate) fn scalars(&self, facts: &Facts, root: &Root) -> Vec<Field> {
        let mut fields: Vec<Field> = self.value.iter().map(|&at| Field { at, value: root.value(at) }).collect();
        for sent in self.tables(facts, root) {
            if reply_field(facts, sent.table).is_none() {
                fields.extend(elements(sent.table));
            }
        }
        fields
    }
}

/// The tables of this root that the value may be.
pub(crate) fn made(facts: &Facts, origin: OriginId) -> Vec<ValueId> {
    let alternatives = facts.origins.alternatives(facts.origins.present(origin));
    let made = |origin| {
        let Origin::Made(at) = *facts.origins.get(facts.origins.present(origin)) else { return None };
        Some(at)
    };
    alternatives.into_iter().filter_map(made).collect()
}

/// What stands under numbers, or may.
pub(crate) fn elements(table: &Table) -> impl Iterator<Item = Field> {
    let numbered = table.fields.iter().filter(|(key, _)| matches!(key, Const::Number(_))).map(|(_, field)| *field);
    numbered.chain(table.rest.filter(|_| table.rest_keys.may_be(Kinds::NUMBER)))
}

/// What stands under that number.
pub(crate) fn element(table: &Table, number: u32) -> Option<&Field> {
    table.field(Const::Number(Number::new(f64::from(number))))
}

/// A field that makes the table a reply of another type.
pub(crate) struct ReplyField {
    pub(crate) name: &'static str,
    pub(crate) field: Field,
    /// Has it surely the type that the server takes there, if it is there?
    pub(crate) sure: bool,
}

/// The first field, in the server's order, that makes the table a reply of another type.
pub(crate) fn reply_field(facts: &Facts, table: &Table) -> Option<ReplyField> {
    const FIELDS: [(&str, Kinds); 7] = [
        ("err", Kinds::STRING),
        ("ok", Kinds::STRING),
        ("double", Kinds::NUMBER),
        ("map", Kinds::TABLES),
        ("set", Kinds::TABLES),
        ("big_number", Kinds::STRING),
        ("verbatim_string", Kinds::TABLES),
    ];
    FIELDS.into_iter().find_map(|(name, kinds)| {
        let field = table.field(Const::Text(facts.texts.find(name.as_bytes())?))?;
        let sure = field.value.kinds.within(kinds.or(Kinds::NIL));
        field.value.kinds.may_be(kinds).then_some(ReplyField { name, field: *field, sure })
    })
}

/// Where the field was set: the field of a constructor, the target of an assignment, else the value.
pub(crate) fn place(root: &Root, made: ValueId, field: &Field) -> Span {
    let sets = |&at: &ValueId| {
        matches!(*root.op(at), Op::SetIndex { table, value, .. }
            if value == field.at && root.origin(table) == root.origin(made))
    };
    let set = root.users(field.at).iter().copied().find(sets);
    root.span(set.unwrap_or(field.at))
}
