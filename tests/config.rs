//! Where settings come from: which file governs, what extends what, and what is said of a mistake in any of them.

#[path = "common/folder.rs"]
mod folder;

use std::{fs, path::Path};

use evalint::{
    config::{
        Config,
        project::{Lookup, Options, Project, Verdict},
    },
    rule::{Finding, RULES},
    source::Span,
};
use folder::{Folder, SICK};

/// A folder with one sick script and no settings of its own.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(&format!("config-{name}")).with("a/a.lua", SICK);
    fs::write(folder.0.join("evalint.toml"), "").unwrap();
    folder
}

const OFF: [(&str, &str); 3] = [
    ("evalint.toml", "rules.suppression = 'off'"),
    ("pyproject.toml", "[project]\nname = 'x'\n[tool.evalint.rules]\nsuppression = 'off'"),
    ("package.json", "{ \"name\": \"x\", \"evalint\": { \"rules\": { \"suppression\": \"off\" } } }"),
];

#[test]
fn settings_lie_in_a_file_of_ours_or_in_a_manifest() {
    for (name, text) in OFF {
        let folder = folder("forms").with(&format!("a/{name}"), text);
        assert_eq!(folder.run(&["a"]).code, 0, "{name}");
        assert_eq!(folder.run(&["--isolated", "a"]).code, 1, "{name}");
        assert_eq!(folder.with("b/b.lua", SICK).run(&["--config", &format!("a/{name}"), "b"]).code, 0, "{name}");
    }
}

#[test]
fn in_one_folder_the_first_with_settings_holds() {
    let on = |form: &str| OFF.iter().find(|(name, _)| *name == form).unwrap().1.replace("off", "error");
    let folder = folder("order").with("a/package.json", OFF[2].1);
    assert_eq!(folder.run(&["a"]).code, 0);
    let folder = folder.with("a/pyproject.toml", on("pyproject.toml"));
    assert_eq!(folder.run(&["a"]).code, 1);
    let folder = folder.with("a/evalint.toml", OFF[0].1);
    assert_eq!(folder.run(&["a"]).code, 0);
}

#[test]
fn a_manifest_without_our_table_does_not_count() {
    let folder = folder("manifest")
        .with("evalint.toml", OFF[0].1)
        .with("a/pyproject.toml", "[tool.other]\nevalint = 1\n")
        .with("a/package.json", "{ \"devDependencies\": { \"evalint\": \"1\" } }");
    assert_eq!(folder.run(&["a"]).code, 0);
    // What is no manifest of ours may be broken.
    let folder = folder.with("a/package.json", "{ nothing");
    assert_eq!(folder.run(&["a"]).code, 0);
    folder.run(&["--config", "a/package.json", "a"]).trouble(&["a/package.json: it has no `\"evalint\"` table"]);
    folder.run(&["--config", "a/pyproject.toml", "a"]).trouble(&["it has no `[tool.evalint]` table"]);
}

#[test]
fn mistakes_in_manifests_have_their_place() {
    let json = "{\n  \"evalint\": { \"presett\": \"strict\",\n    \"rules\": { \"kexs\": \"off\" }, \"rules\": {},\n    \"cluster\": null } }";
    folder("json-mistakes").with("a/package.json", json).run(&["a"]).trouble(&[
        "no setting is called `presett`\n  ┌─ a/package.json:2:16",
        "help: write `preset`",
        "no rule or category is called `kexs`\n  ┌─ a/package.json:3:16",
        "help: write `keys`",
        "`rules` stands here twice\n  ┌─ a/package.json:3:33",
        "`cluster` is `true` or `false`\n  ┌─ a/package.json:4:16",
    ]);
    folder("json-broken")
        .with("a/package.json", "\u{feff}{ \"evalint\": { \"globals\": [1,] } }")
        .run(&["a"])
        .trouble(&["trailing commas are not allowed\n  ┌─ a/package.json:1:29"]);
    folder("py-mistakes")
        .with("a/pyproject.toml", "[tool.evalint]\npreset = 'strickt'")
        .run(&["a"])
        .trouble(&["no preset is called `strickt`\n  ┌─ a/pyproject.toml:2:10", "help: write \"strict\""]);
    folder("py-kind")
        .with("a/pyproject.toml", "[tool]\nevalint = 1")
        .run(&["a"])
        .trouble(&["a table is expected here\n  ┌─ a/pyproject.toml:2:11"]);
}

#[test]
fn a_misspelt_key_is_one_mistake() {
    let run = folder("once").with("a/evalint.toml", "[[overrides]]\nfile = ['a']\nrules = {}").run(&["a"]);
    run.trouble(&["no setting is called `file`", "help: write `files`"]);
    assert_eq!(run.err.matches("error:").count(), 1, "{}", run.err);
    folder("none").with("a/evalint.toml", "[[overrides]]\nrules = {}").run(&["a"]).trouble(&["`files` is missing"]);
}

#[test]
fn folders_of_includes_have_to_be_there() {
    let run = folder("dirs").with("a/evalint.toml", "include-dirs = ['.', 'gone', 'a.lua']").run(&["a"]);
    run.trouble(&["`gone` can't be read", "a/evalint.toml:1:22", "`a.lua` is no folder"]);
}

#[test]
fn what_is_extended_keeps_its_own_folder() {
    let folder = folder("extends")
        .with("base/package.json", "{ \"evalint\": { \"exclude\": [\"out\"], \"prelude\": [\"before.lua\"] } }")
        .with("base/before.lua", "limit = 1")
        .with("mid.toml", "extends = 'base/package.json'\nrules.suppression = 'off'")
        .with("a/evalint.toml", "extends = '../mid.toml'\nexclude = ['own.lua']")
        .with("a/own.lua", SICK)
        .with("a/out/b.lua", "return limit")
        .with("base/out/a.lua", SICK);
    assert_eq!(folder.run(&["a"]).code, 0, "mid.toml turns it off");
    assert_eq!(folder.run(&["--select=all", "a/own.lua"]).code, 0, "a/evalint.toml excludes it");
    let config = ["--config", "a/evalint.toml", "--select=unknown-rule"];
    assert_eq!(folder.run(&[&config[..], &["base/out/a.lua"]].concat()).code, 0, "base/package.json excludes it");
    assert_eq!(folder.run(&[&config[..], &["a/a.lua"]].concat()).code, 1);
    assert_eq!(folder.run(&["--select=undefined-global", "a/out"]).code, 0, "before.lua lies beside base/package.json");
}

#[test]
fn what_can_not_be_extended_is_shown() {
    let folder = folder("lost").with("a/evalint.toml", "\nextends = '../base/evalint.toml'");
    folder.run(&["a"]).trouble(&["`../base/evalint.toml` can't be read", "a/evalint.toml:2:11"]);
    let folder = folder
        .with("base/evalint.toml", "extends = '../c/evalint.toml'")
        .with("c/evalint.toml", "extends = '../a/evalint.toml'");
    folder.run(&["a"]).trouble(&["`../a/evalint.toml` comes back to this file", "c/evalint.toml:1:11"]);
    folder.run(&["--config=base/evalint.toml", "a"]).trouble(&["`../base/evalint.toml` comes back to this file"]);
    let folder = folder.with("c/evalint.toml", "preset = 1");
    folder.run(&["a"]).trouble(&["a string is expected here", "c/evalint.toml:1:10"]);
    let folder = folder.with("base/evalint.toml", "extends = '../d/package.json'").with("d/package.json", "{}");
    folder.run(&["a"]).trouble(&["d/package.json: it has no `\"evalint\"` table"]);
}

#[test]
fn commands_of_a_base_and_of_its_heir_are_told_apart() {
    let command = |name: &str, arity: i32| format!("\n[commands.'{name}']\narity = {arity}\nflags = ['write']\n");
    let folder = folder("commands")
        .with("base.toml", command("X.ONE", 2) + &command("X.BOTH", 2))
        .with("a/evalint.toml", "extends = '../base.toml'".to_owned() + &command("x.both", 3) + &command("X.TWO", 3))
        .with("a/a.lua", "redis.call('X.ONE', 1)\nredis.call('X.BOTH', 1, 2)\nreturn redis.call('X.TWO', 1)");
    let run = folder.run(&["--format=json", "--select=wrong-arity,unknown-command", "a"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let lines: Vec<_> =
        json["diagnostics"].as_array().unwrap().iter().map(|one| &one["span"]["start"]["line"]).collect();
    assert_eq!(lines, [3], "{}", run.out);
}

/// A base in JSON, its heir, and two overrides of which one holds for `a/old/x.lua`.
fn layered(name: &str) -> Folder {
    folder(name)
        .with(
            "package.json",
            "{ \"evalint\": {\n  \"target\": [\"redis@7.2\", \"valkey@8.1\"],\n  \"globals\": [\"one\"],\n  \"keys\": { \"prefixes\": [\"KEYS[1]\"] },\n  \"rules\": { \"unused-allow\": \"error\", \"blocking\": \"info\" } } }",
        )
        .with("a/inc/x.lua", "")
        .with(
            "a/evalint.toml",
            "extends = '../package.json'\ncluster = true\nglobals = ['two',\n  'th\\\"ree']\ninclude-dirs = ['inc']\nexclude = ['gone']\n
[rules]\nscan-loop = 'off'\nlua = 'error'\n
[[overrides]]\nfiles = ['old']\nrules = { suppression = 'off', unknown-rule = 'info' }\n
[[overrides]]\nfiles = ['new']\nrules = { all = 'off' }\n
[[scripts-contract]]\nfiles = ['*.lua']\nkeys = ['a:{b}']\n
[commands.'JSON.SET']\narity = -4\nkeys = { first = 1, last = -1, step = 2 }\nflags = ['write']\nreply = 'status|false'\n",
        )
}

#[test]
fn each_shown_setting_says_where_it_stands() {
    let run = layered("show").run(&["--show-config", "a/old/x.lua", "--preset=strict", "--ignore=wire"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    for line in [
        "# the settings of a/old/x.lua, from a/evalint.toml, which extends package.json",
        "target = [\"redis@7.2\", \"valkey@8.1\"]  # package.json:2",
        "cluster = true  # a/evalint.toml:2",
        "preset = \"strict\"  # command line",
        "    \"one\",  # package.json:3",
        "    \"th\\\\\\\"ree\",  # a/evalint.toml:4",
        "blocking = \"info\"  # package.json:5",
        "scan-loop = \"off\"  # a/evalint.toml:9",
        "suppression = \"off\"  # a/evalint.toml:14",
        "wire = \"off\"  # command line",
        "keys = [\"a:{b}\"]  # a/evalint.toml:22",
        "arity = -4  # a/evalint.toml:25",
    ] {
        assert!(run.out.lines().any(|shown| shown == line), "`{line}` is not in:\n{}", run.out);
    }
    // The later override settles it, and the other is for other files.
    assert!(!run.out.contains("unused-allow") && !run.out.contains("all ="), "{}", run.out);
}

#[test]
fn defaults_are_shown_too() {
    let folder = folder("show-default");
    let run = folder.run(&["--isolated", "--show-config", "a/a.lua", "--select=keys,unused-allow"]);
    assert!(run.out.starts_with("# the settings of a/a.lua; no config governs it\n"), "{}", run.out);
    assert!(run.out.contains("preset = \"recommended\"  # default\n"), "{}", run.out);
    assert!(run.out.contains("# instead of the preset: --select keys,unused-allow  # command line\n"), "{}", run.out);
    let folder = folder.with("a/evalint.toml", "exclude = ['a.lua']");
    let run = folder.run(&["--show-config", "a/a.lua"]);
    assert!(run.out.contains("# it is excluded and not checked  # a/evalint.toml:1\n"), "{}", run.out);
    folder.run(&["--show-config", "a/a.lua", "a"]).trouble(&["--show-config", "cannot be used with"]);
    folder.with("a/evalint.toml", "exclud = 1").run(&["--show-config", "a/a.lua"]).trouble(&["write `exclude`"]);
}

/// What is shown, read as a config, is the same settings.
#[test]
fn shown_settings_are_those_that_hold() {
    let folder = layered("show-same");
    for path in ["a/old/x.lua", "a/new/y.lua", "a/z.lua", "a/gone/z.lua", "b.lua"] {
        for options in [&[][..], &["--ignore=suppression,scan-loop"], &["--no-cluster", "--target=redis@6.2"]] {
            let run = folder.run(&[options, &["--show-config", path]].concat());
            assert_eq!(run.code, 0, "{}", run.err);
            // Beside the nearest config, so that what is relative stays right.
            let shown =
                folder.0.join(Path::new(path).components().next().unwrap()).with_file_name("a").join("shown.toml");
            fs::write(&shown, &run.out).unwrap();
            let again = folder.run(&["--config", "a/shown.toml", "--show-config", path]);
            let plain = |text: &str| {
                let lines = text.lines().skip(1).map(|line| line.rsplit_once("  # ").map_or(line, |(line, _)| line));
                lines.map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(plain(&run.out), plain(&again.out), "{path}");
            if options.is_empty() {
                let path = folder.0.join(path);
                let config = |lookup| match Project::new(Options::default(), &lookup).verdict(&path) {
                    Verdict::Check(config) => Some(effective(&config)),
                    Verdict::Excluded => None,
                    Verdict::Broken => panic!("{} is broken", shown.display()),
                };
                assert_eq!(
                    config(Lookup::Nearest),
                    config(Lookup::File(shown.clone())),
                    "{}:\n{}",
                    path.display(),
                    run.out
                );
            }
        }
    }
}

/// All that a script is checked with; of the levels, what they come to.
fn effective(config: &Config) -> String {
    let finding = Finding::new(Span::default(), "");
    let levels: Vec<_> = RULES
        .iter()
        .map(|rule| (rule, config.severity(rule, &finding), config.severity(rule, &finding.clone().strict())))
        .collect();
    format!("{:?} {levels:?}", Config { levels: Vec::new(), commands: Vec::new(), ..config.clone() })
        + &config.commands.iter().map(|command| format!(" {} {}", command.name, command.arity)).collect::<String>()
}
