//! Properties of any truth: a perfect reading is right, and a lost flag is one mistake in one figure.

use proptest::prelude::*;

use super::{damaged, read};
use crate::{TrueFlag, Truth, compare};

/// Types with a default that is not zero.
const TYPES: [(&str, &str); 12] = [
    ("bool", "true"),
    ("int", "-3"),
    ("uint16", "80"),
    ("float32", "1.5"),
    ("string", "x"),
    ("duration", "5m0s"),
    ("ipNet", "10.0.0.0/8"),
    ("intSlice", "[1,2]"),
    ("stringArray", "[a b,c]"),
    ("durationSlice", "[1s]"),
    ("stringToInt", "[a=1]"),
    ("own", "2kg"),
];

prop_compose! {
    fn any_flag()(
        (name, text) in prop::sample::select(&TYPES[..]),
        with_default: bool,
        required: bool,
        persistent: Option<bool>,
        short in prop::option::of("-[a-z]"),
    ) -> TrueFlag {
        TrueFlag {
            value_type: Some(name.into()),
            default: with_default.then(|| text.into()),
            required: Some(required),
            persistent,
            short,
            ..TrueFlag::default()
        }
    }
}

prop_compose! {
    fn any_truth()(
        commands in prop::collection::btree_map(
            "[a-c]( [a-c]){0,2}",
            prop::collection::btree_map("--[a-z]{2,6}", any_flag(), 0..6),
            1..12,
        )
    ) -> Truth {
        let mut truth = Truth::default();
        for (path, flags) in commands {
            // Parents exist too.
            for (end, _) in path.match_indices(' ') {
                truth.commands.entry(path[..end].to_owned()).or_default();
            }
            truth.commands.entry(path).or_default().flags = flags;
        }
        truth
    }
}

proptest! {
    #[test]
    fn any_truth_read_perfectly_is_right_everywhere(truth in any_truth()) {
        let report = compare(&read(&truth), &truth);
        prop_assert_eq!(damaged(&report), Vec::<String>::new(), "{}", report);
        prop_assert_eq!(report.command_recall.total, truth.commands.len());
        prop_assert_eq!(report.floors(), Ok(()));
    }

    #[test]
    fn each_flag_that_is_lost_lowers_the_recall_of_flags_only(
        truth in any_truth(),
        at: prop::sample::Index,
    ) {
        let flags: Vec<(&String, &String)> = truth
            .commands
            .iter()
            .flat_map(|(path, command)| command.flags.keys().map(move |flag| (path, flag)))
            .collect();
        prop_assume!(!flags.is_empty());
        let (path, name) = flags[at.index(flags.len())];
        // Not where a persistent flag of the same name above stands in for it.
        prop_assume!(!flags.iter().any(|(other, flag)| other != &path && flag == &name));
        let mut cli = read(&truth);
        let command = cli.command_mut(&path.as_str().into()).expect("it is there");
        command.flags.retain(|flag| !flag.is_named(name));
        let report = compare(&cli, &truth);
        prop_assert_eq!(damaged(&report), ["flag_recall"]);
        prop_assert_eq!(report.flag_recall.wrong, [format!("{path} {name}")]);
    }
}
