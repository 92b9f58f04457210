//! Settings as text to a tree in which each key and value knows its place, whatever the file is.
//!
//! A *manifest* is a file of another tool that may hold a table of ours: `[tool.evalint]` of `pyproject.toml`, `"evalint"` of
//! `package.json`.

use std::{ops::Range, path::Path};

use jsonc_parser::{ParseOptions, ast};
use toml::de::{DeTable, DeValue};

use super::file::Problem;

/// What kind of file holds the settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// All of a TOML file.
    Whole,
    Pyproject,
    Package,
}

impl Form {
    /// By the name of the file.
    pub(super) fn of(path: &Path) -> Form {
        match path.file_name().and_then(|name| name.to_str()) {
            Some("pyproject.toml") => Form::Pyproject,
            Some("package.json") => Form::Package,
            Some(_) | None => Form::Whole,
        }
    }

    /// How the table of ours is written.
    pub(super) fn table(self) -> &'static str {
        match self {
            Form::Whole => "the whole file",
            Form::Pyproject => "`[tool.evalint]`",
            Form::Package => "`\"evalint\"`",
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) value: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    Integer(i64),
    Bool(bool),
    Array(Vec<Node>),
    /// By place.
    Table(Vec<Entry>),
    /// A number with a fraction, a date, null: nothing that a setting can be.
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) value: Node,
}

#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) span: Range<usize>,
    pub(super) name: String,
}

impl Node {
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            Value::Integer(_) | Value::Bool(_) | Value::Array(_) | Value::Table(_) | Value::Other => None,
        }
    }

    pub(super) fn array(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Array(array) => Some(array),
            Value::Text(_) | Value::Integer(_) | Value::Bool(_) | Value::Table(_) | Value::Other => None,
        }
    }

    pub(super) fn table(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            Value::Text(_) | Value::Integer(_) | Value::Bool(_) | Value::Array(_) | Value::Other => None,
        }
    }

    fn into_member(self, name: &str) -> Option<Node> {
        let Value::Table(entries) = self.value else { return None };
        entries.into_iter().find(|entry| entry.key.name == name).map(|entry| entry.value)
    }
}

/// The settings in the text; `None`: a manifest without our table.
pub(super) fn parse(form: Form, text: &str) -> Result<Option<Node>, Problem> {
    match form {
        Form::Whole => toml(text).map(Some),
        Form::Pyproject => Ok(toml(text)?.into_member("tool").and_then(|tool| tool.into_member("evalint"))),
        Form::Package => Ok(json(text)?.into_member("evalint")),
    }
}

fn toml(text: &str) -> Result<Node, Problem> {
    let table = DeTable::parse(text).map_err(|error| {
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        Problem::new(error.span().unwrap_or(0..0), message)
    })?;
    Ok(Node { span: table.span(), value: of_toml_table(table.get_ref()) })
}

fn of_toml_table(table: &DeTable) -> Value {
    let entries = table.iter().map(|(key, value)| Entry {
        key: Key { span: key.span(), name: key.get_ref().to_string() },
        value: Node { span: value.span(), value: of_toml(value.get_ref()) },
    });
    let mut entries: Vec<Entry> = entries.collect();
    // The library sorts by key.
    entries.sort_by_key(|entry| entry.key.span.start);
    Value::Table(entries)
}

fn of_toml(value: &DeValue) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Other, Value::Integer)
        }
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Float(_) | DeValue::Datetime(_) => Value::Other,
        DeValue::Array(array) => {
            Value::Array(array.iter().map(|one| Node { span: one.span(), value: of_toml(one.get_ref()) }).collect())
        }
        DeValue::Table(table) => of_toml_table(table),
    }
}

fn json(text: &str) -> Result<Node, Problem> {
    let strict = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    // Editors on Windows put a byte order mark first; places count it.
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let shift = text.len() - body.len();
    let parsed = jsonc_parser::parse_to_ast(body, &Default::default(), &strict).map_err(|error| {
        let range = error.range();
        let message = error.kind().to_string();
        Problem::new(range.start + shift..range.end + shift, lower_case(&message))
    })?;
    let Some(value) = parsed.value else {
        return Err(Problem::new(0..0, "it is empty".into()));
    };
    Ok(of_json(&value, shift))
}

fn of_json(value: &ast::Value, shift: usize) -> Node {
    let span = |range: jsonc_parser::common::Range| range.start + shift..range.end + shift;
    let (range, value) = match value {
        ast::Value::StringLit(text) => (text.range, Value::Text(text.value.to_string())),
        ast::Value::NumberLit(number) => (number.range, number.value.parse().map_or(Value::Other, Value::Integer)),
        ast::Value::BooleanLit(value) => (value.range, Value::Bool(value.value)),
        ast::Value::NullKeyword(null) => (null.range, Value::Other),
        ast::Value::Array(array) => {
            (array.range, Value::Array(array.elements.iter().map(|one| of_json(one, shift)).collect()))
        }
        ast::Value::Object(object) => {
            let entries = object.properties.iter().map(|property| {
                let (range, name) = match &property.name {
                    ast::ObjectPropName::String(text) => (text.range, text.value.to_string()),
                    ast::ObjectPropName::Word(word) => (word.range, word.value.to_owned()),
                };
                Entry { key: Key { span: span(range), name }, value: of_json(&property.value, shift) }
            });
            (object.range, Value::Table(entries.collect()))
        }
    };
    Node { span: span(range), value }
}

fn lower_case(message: &str) -> String {
    let mut letters = message.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}
