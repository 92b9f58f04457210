//! The JSON Schema of the settings. The types here stand for nothing else: [`super::file`] reads, and a test holds both together.
//!
//! Draft 7, which editors know best.

#![allow(dead_code, reason = "only the schema of these types is used")]

use std::{borrow::Cow, collections::BTreeMap};

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Map, Value, json};

use super::modules;
use crate::{
    rule::{Preset, RULES, Severity},
    target::{Product, Version},
    value::Kinds,
};

/// The schema of an `evalint.toml`, which is also that of `[tool.evalint]` and of `"evalint"`.
pub fn schema() -> Value {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<Settings>().to_value()
}

/// Settings of evalint. The nearest folder upwards from a file that has some holds for it. Patterns are as in `.gitignore`; they and paths
/// are relative to the folder of the file that says them.
#[derive(JsonSchema)]
#[schemars(title = "evalint", rename_all = "kebab-case", deny_unknown_fields, transform = optional)]
struct Settings {
    /// Another config to start from: what is said here goes before it, lists are joined. It may be an `evalint.toml`, or a
    /// `pyproject.toml` or `package.json` with settings.
    #[schemars(extend("examples" = ["../evalint.toml"]))]
    extends: String,
    /// The servers that the scripts are for. Without it, what is reported holds on the newest Redis and the newest Valkey.
    #[schemars(extend("examples" = ["redis@7.2", ["redis@7.2", "valkey@8.1"]]))]
    target: Targets,
    /// Do the scripts run on a cluster? `true`: keys that do not share a slot are an error. `false`: nothing about slots is reported.
    /// Unset: what would go wrong on a cluster is told as such.
    cluster: bool,
    /// The rules that are on without being named: `recommended` is silent about what is unknown, `strict` adds rules that need somebody's
    /// judgement.
    #[schemars(schema_with = "preset")]
    preset: (),
    /// Files that are not checked, even if they are named.
    #[schemars(extend("examples" = [["vendor/**"]]))]
    exclude: Vec<String>,
    /// Files that are scripts even if they do not look like it.
    #[schemars(extend("examples" = [["lua/**/*.lua"]]))]
    scripts: Vec<String>,
    /// Folders where included files are looked for, beside those of the files that include them.
    #[schemars(extend("examples" = [["lua/includes"]]))]
    include_dirs: Vec<String>,
    /// A file with findings that are known and not told again, as `--write-baseline` writes it.
    #[schemars(extend("examples" = ["evalint-baseline.json"]))]
    baseline: String,
    /// Globals that the host defines before the script.
    #[schemars(extend("examples" = [["rcall"]]))]
    globals: Vec<String>,
    /// Files that the host puts before each script: what they define is known.
    #[schemars(extend("examples" = [["lua/common.lua"]]))]
    prelude: Vec<String>,
    /// How bad the findings of a rule are, or of a category, or of `all`. A rule goes before its category, a category before `all`; a level
    /// turns a rule of the strict preset on.
    rules: Rules,
    /// Levels for some files; the last that names a file goes before the others and before `rules`.
    overrides: Vec<Override>,
    /// Patterns of the keys of scripts that do not say them themselves.
    scripts_contract: Vec<Contract>,
    /// Which keys are as they should be.
    keys: Keys,
    /// Commands of modules, by name, as COMMAND describes them.
    commands: BTreeMap<String, Command>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("required" = ["files"]))]
struct Override {
    /// The files that it is for.
    files: Vec<String>,
    /// The levels of rules in these files.
    rules: Rules,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("required" = ["files"]))]
struct Contract {
    /// The scripts that it is for.
    files: Vec<String>,
    /// The patterns of KEYS[1], KEYS[2] and so on. Braces are a hash tag, as the server reads them.
    keys: Vec<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = optional)]
struct Keys {
    /// Inputs that names of keys may be built from without being reported: a key scheme that is wanted.
    prefixes: Vec<Input>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("required" = ["flags"]))]
struct Command {
    /// How many words a call has, the command's own included; negative: at least so many.
    arity: i16,
    /// Which words are keys.
    keys: KeyRange,
    #[schemars(schema_with = "flags")]
    flags: (),
    /// What it replies to a script: kinds joined by `|`.
    #[schemars(schema_with = "reply")]
    reply: (),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = optional)]
struct KeyRange {
    /// The first key; the command's name counts as 0.
    #[schemars(range(min = 1))]
    first: i8,
    /// The last key; negative: counted from the end.
    last: i8,
    /// How far a key is from the next.
    #[schemars(range(min = 1))]
    step: u8,
}

struct Targets;

impl JsonSchema for Targets {
    fn schema_name() -> Cow<'static, str> {
        "Targets".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<OneTarget>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}

struct OneTarget;

impl JsonSchema for OneTarget {
    fn schema_name() -> Cow<'static, str> {
        "Target".into()
    }

    /// Exactly what is parsed, but for numbers from 256 to 999.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        const NUMBER: &str = "(0|[1-9][0-9]{0,2})";
        let products = Product::ALL.map(|product| {
            let mut versions: Vec<String> = Vec::new();
            for &(major, minor) in product.series() {
                versions.push(format!(r"{major}(\.{minor}(\.{NUMBER})?)?"));
            }
            if versions.is_empty() {
                versions.push(format!(r"{NUMBER}(\.{NUMBER}){{0,2}}"));
            }
            format!("{}(@({}))?", product.name(), versions.join("|"))
        });
        let newest = |product: Product| {
            let versions = product.series().last().map(|&(major, minor)| Version(major, minor, u8::MAX));
            versions.map(|Version(major, minor, _)| format!("{}@{major}.{minor}", product.name()))
        };
        json_schema!({
            "description": "A server: `redis@7.2` is the newest patch of 7.2, `redis@7.2.4` exactly that, `redis` the newest.",
            "type": "string",
            "pattern": format!("^({})$", products.join("|")),
            "examples": Product::ALL.into_iter().filter_map(newest).collect::<Vec<_>>(),
        })
    }
}

/// `KEYS[1]`
struct Input;

impl JsonSchema for Input {
    fn schema_name() -> Cow<'static, str> {
        "Input".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"^(KEYS|ARGV)\[[1-9][0-9]{0,8}\]$", "examples": ["KEYS[1]", "ARGV[1]"] })
    }
}

struct Rules;

impl JsonSchema for Rules {
    fn schema_name() -> Cow<'static, str> {
        "Rules".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut levels = vec!["off"];
        levels.extend(Severity::ALL.map(Severity::name));
        let level = |description: &str| json!({ "description": description, "enum": levels });
        let mut names = Map::from_iter([("all".to_owned(), level("all rules"))]);
        for rule in RULES {
            names.entry(rule.category).or_insert_with(|| level(&format!("the rules about {}", rule.category)));
            let usual = match rule.preset {
                Preset::Recommended => rule.severity.name().to_owned(),
                Preset::Strict => format!("{} in the strict preset", rule.severity.name()),
            };
            names.insert(rule.name.into(), level(&format!("{} ({}, by default {usual})", rule.summary, rule.category)));
        }
        json_schema!({ "type": "object", "properties": names, "additionalProperties": false })
    }
}

fn preset(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": Preset::ALL.map(Preset::name), "default": Preset::Recommended.name() })
}

fn flags(_: &mut SchemaGenerator) -> Schema {
    let names = modules::FLAGS.map(|(name, _)| name);
    json_schema!({ "description": "What it is, at least `write` or `readonly`.", "type": "array", "items": { "enum": names } })
}

fn reply(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<_> = Kinds::names().chain(["array"]).collect();
    let one = format!(r"\s*({})\s*", names.join("|"));
    json_schema!({ "type": "string", "pattern": format!(r"^{one}(\|{one})*$"), "examples": ["status|false", "string", "array"] })
}

/// No setting has to be there.
fn optional(schema: &mut Schema) {
    schema.remove("required");
}
