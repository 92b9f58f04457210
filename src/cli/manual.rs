//! What is printed about the command line itself.

use std::{io, path::Path};

use clap::{Command, CommandFactory};

use super::args::Arguments;
use crate::target::closest;

/// The manual page: the program's, with the options of the commands that have more than it.
pub(super) fn page() -> io::Result<Vec<u8>> {
    let program = Arguments::command();
    let mut page = Vec::new();
    let of_program = clap_mangen::Man::new(program.clone());
    of_program.render_title(&mut page)?;
    of_program.render_name_section(&mut page)?;
    of_program.render_synopsis_section(&mut page)?;
    of_program.render_description_section(&mut page)?;
    of_program.render_options_section(&mut page)?;
    of_program.render_subcommands_section(&mut page)?;
    for command in program.get_subcommands().filter(|command| has_more(command, &program)) {
        let mut section = Vec::new();
        clap_mangen::Man::new(command.clone()).render_options_section(&mut section)?;
        let heading = format!(".SH \"{} {}\"", program.get_name(), command.get_name()).to_uppercase();
        let section = String::from_utf8_lossy(&section).replace(".SH OPTIONS", &heading);
        page.extend(section.into_bytes());
    }
    of_program.render_extra_section(&mut page)?;
    of_program.render_version_section(&mut page)?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    // The library refers to pages of their own.
    for command in program.get_subcommands() {
        let name = command.get_name();
        page = page.replace(&format!("\\-{name}(1)"), &format!(" {name}"));
    }
    Ok(page.into_bytes())
}

/// Has it arguments of its own?
fn has_more(command: &Command, program: &Command) -> bool {
    let known = |id| program.get_arguments().any(|other| other.get_id() == id);
    command
        .get_arguments()
        .any(|argument| !argument.is_hide_set() && !known(argument.get_id()) || is_other(argument, program))
}

/// Is it called like an option of the program, and is it another?
fn is_other(argument: &clap::Arg, program: &Command) -> bool {
    let same = program.get_arguments().find(|other| other.get_id() == argument.get_id());
    same.is_some_and(|same| same.get_help().map(ToString::to_string) != argument.get_help().map(ToString::to_string))
}

/// The command that a path which does not exist may be a slip of.
pub(super) fn meant(path: &Path) -> Option<String> {
    let word = path.to_str().filter(|word| !word.contains(['/', '.']))?;
    let program = Arguments::command();
    closest(word, program.get_subcommands().map(Command::get_name)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use clap_complete::Shell;

    use super::*;

    /// Every option that is not hidden, with the command that has it.
    fn options() -> Vec<(String, String)> {
        let program = Arguments::command();
        let commands = std::iter::once(&program).chain(program.get_subcommands());
        let options = commands.flat_map(|command| {
            let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
            shown.filter_map(|argument| Some((command.get_name().to_owned(), argument.get_long()?.to_owned())))
        });
        options.collect()
    }

    #[test]
    fn the_manual_page_has_every_option_and_command() {
        let page = String::from_utf8(page().expect("memory takes it")).expect("it is UTF-8").replace("\\-", "-");
        for (command, option) in options() {
            assert!(page.contains(&format!("--{option}")), "{command} --{option}");
        }
        for command in Arguments::command().get_subcommands() {
            assert!(page.contains(&format!("evalint {}\n", command.get_name())), "{}\n{page}", command.get_name());
        }
        // Options of the same name that do something else.
        assert!(page.contains(".SH \"EVALINT RULES\""), "{page}");
        assert!(!page.contains("--dump"), "it is hidden");
    }

    #[test]
    fn completions_have_every_option_and_format() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "evalint", &mut text);
            let text = String::from_utf8(text).expect("it is UTF-8");
            for (command, option) in options() {
                let written = [format!("--{option}"), format!("-l {option}")];
                assert!(written.iter().any(|written| text.contains(written)), "{shell}: {command} --{option}");
            }
            // The library gives PowerShell and Elvish no values.
            if matches!(shell, Shell::Bash | Shell::Zsh | Shell::Fish) {
                assert!(crate::render::FORMATS.iter().all(|format| text.contains(format.name)), "{shell}");
            }
        }
    }

    #[test]
    fn slips_of_commands_are_seen() {
        assert_eq!(meant(Path::new("chek")).as_deref(), Some("check"));
        assert_eq!(meant(Path::new("rulez")).as_deref(), Some("rules"));
        assert_eq!(meant(Path::new("./chek")), None);
        assert_eq!(meant(Path::new("scripts")), None);
    }
}
