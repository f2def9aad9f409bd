//! The first screen: the commands by what a person wants of them, and the few ideas behind them all.

use clap::{Command, CommandFactory};

use super::{Args, EXAMPLES};

/// The commands that everybody sees, by what they are for.
const GROUPS: &[(&str, &[&str])] = &[
    ("Connect", &["add", "remove", "list", "doctor"]),
    ("Look", &["tools", "inspect", "call"]),
    ("Run", RUN),
    ("Write", &["init", "check", "spell", "profile"]),
    ("Ship", &["export"]),
];
/// Those that run something; there are terminals to approve at on Unix alone.
const RUN: &[&str] = match cfg!(unix) {
    true => &["serve", "approve", "drafts"],
    false => &["serve", "drafts"],
};
/// Those that only the long help has.
const MORE: (&str, &[&str]) = ("More", &["audit", "cache", "completions", "man"]);

const IDEAS: &str = "A program is anything that you can run. Each of its commands has an effect: it reads, writes or \
    destroys; with --read-only an assistant gets only what reads. A server works in a folder. A client, such as Cursor or \
    Claude Code, starts it.";

const BEGIN: &str = "  charmer tools git                         what an assistant would get of git
  charmer add git --to cursor --read-only   put it into a client
  charmer doctor                            see that it works

`charmer --help` has more, `charmer COMMAND --help` all of a command.";

/// The command line, with its commands in groups on the first screen.
pub(crate) fn command() -> Command {
    let command = Args::command();
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let group = |(title, names): &(&str, &[&str])| {
        let mut text = format!("{header}{title}{header:#}\n");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            text.push_str(&format!("  {literal}{name:<13}{literal:#}{about}\n"));
        }
        text
    };
    let groups: Vec<String> = GROUPS.iter().map(group).collect();
    let groups = groups.join("");
    let short = format!("{groups}\n{IDEAS}\n\n{header}Begin with{header:#}\n{BEGIN}");
    let long = format!("{groups}{}\n{IDEAS}\n\n{EXAMPLES}", group(&MORE));
    command
        .help_template("{about-with-newline}\n{usage-heading} {usage}{after-help}")
        .after_help(short)
        .after_long_help(long)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_in_one_group() {
        let grouped = GROUPS.iter().chain([&MORE]).flat_map(|(_, names)| *names);
        let mut grouped: Vec<&str> = grouped.copied().collect();
        let all = Args::command();
        let visible = all.get_subcommands().filter(|one| !one.is_hide_set());
        let mut visible: Vec<&str> = visible.map(Command::get_name).collect();
        grouped.sort_unstable();
        visible.sort_unstable();
        assert_eq!(grouped, visible);
    }

    #[test]
    fn the_first_screen_is_short() {
        let help = command().render_help().to_string();
        assert!(help.lines().count() <= 40, "{help}");
        assert!(!help.contains("completions"), "{help}");
        assert!(
            command()
                .render_long_help()
                .to_string()
                .contains("completions")
        );
    }
}
