//! The questions to hooks and their answers, as JSON. This is version 1.
//!
//! # The question
//!
//! | key | what it holds |
//! |---|---|
//! | `version` | `1` |
//! | `hook` | `before`, `after` or `error` |
//! | `tool` | the name of the tool |
//! | `command` | the command: the program's name and its subcommands, as a list |
//! | `effect` | the worst that the command is known to do with these arguments: `read`, `write`, `destroy` or `unknown` |
//! | `arguments` | the arguments by name, as an object |
//! | `argv` | the command line, the program first; absent where the arguments do not fit the command |
//! | `folder` | the folder that the caller asked to run in; absent if it asked for none |
//! | `reads` | whether the call is meant to read only |
//! | `dryRun` | whether it is a dry run: nothing will be started |
//! | `caller` | `id` (of this call), `principal`, `transport`, `client` (`name` and `version`, where there is one), `folders` |
//! | `result` | what came of it, for `after`, and for `error` if a program ran: `ended` (`exited`, `signalled` or `timed_out`), `exitCode` or `signal`, `stdout`, `stderr`, `cut` (whether the middle of one was left out), `durationMs`, and `data` where there is any |
//! | `error` | why it failed, for `error`: `code`, `message` and, where there is one, `hint` |
//!
//! # The answer
//!
//! One object, and nothing else, on standard output; `version` is always `1`, and a key that is not listed here is no answer.
//!
//! | hook | `decision` | further keys |
//! |---|---|---|
//! | `before` | `allow` | `arguments`: those that stand in the place of the ones that were given, all of them |
//! | `after` | `allow` | `stdout`, `stderr` and `data`: what stands in the place of the one that was printed |
//! | `before` | `ask` | `message` (required): what the person behind the client is asked; the call goes on if that is accepted |
//! | `before`, `after` | `refuse` | `reason` (required) and `hint`: what the caller is told |
//! | `error` | none | `message` and `hint`: what the caller is told in the place of the ones that were there |
//!
//! A hook that allows something ends with exit code 0; one that refuses may end with any.

use std::fmt;

use charmer_core::call::Prepared;
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value, json};

use crate::{Call, CallError, Ended, Outcome};

use super::HookMoment;

/// The version of the questions and answers.
const VERSION: u64 = 1;

/// One question.
#[derive(Debug, Clone)]
pub(super) struct HookQuestion(Map<String, Value>);

impl HookQuestion {
    pub(super) fn new(
        moment: HookMoment,
        call: &Call,
        program: String,
        prepared: Option<&Prepared>,
    ) -> Self {
        let words = call.tool.path.words().iter();
        let command = [call.tool.help.program.as_ref()].into_iter();
        let command = command.chain(words.map(String::as_str));
        let command: Vec<&str> = command.filter(|word| !word.is_empty()).collect();
        let effect = prepared.map(|prepared| prepared.bound.effect(&call.tool));
        let caller = &call.caller;
        let folders: Vec<String> = caller
            .folders
            .iter()
            .map(|folder| folder.display().to_string())
            .collect();
        let mut question = json!({
            "version": VERSION,
            "hook": moment.as_str(),
            "tool": call.tool.name.as_str(),
            "command": command,
            "effect": effect.unwrap_or_default(),
            "arguments": call.input,
            "reads": call.reads,
            "dryRun": call.dry_run,
            "caller": {
                "id": &*caller.id,
                "principal": &*caller.principal,
                "transport": caller.transport.as_str(),
                "folders": folders,
            },
        });
        if let Some(client) = &caller.client {
            let client = json!({"name": client.name, "version": client.version});
            question["caller"]["client"] = client;
        }
        if let Some(prepared) = prepared {
            let argv = prepared.argv.to_strings().into_iter().map(str::to_owned);
            question["argv"] = [program].into_iter().chain(argv).collect();
        }
        if let Some(folder) = &call.folder {
            question["folder"] = folder.as_str().into();
        }
        match question {
            Value::Object(question) => Self(question),
            _ => unreachable!("it is an object"),
        }
    }

    /// Adds what came of the call.
    pub(super) fn result(mut self, outcome: &Outcome) -> Self {
        let mut result = json!({
            "stdout": outcome.stdout.to_text(),
            "stderr": outcome.stderr.to_text(),
            "cut": outcome.stdout.is_cut() || outcome.stderr.is_cut(),
            "durationMs": outcome.duration.as_millis() as u64,
        });
        result["ended"] = match outcome.ended {
            Ended::Exited(code) => {
                result["exitCode"] = code.into();
                "exited".into()
            }
            Ended::Signalled(signal) => {
                result["signal"] = signal.into();
                "signalled".into()
            }
            _ => "timed_out".into(),
        };
        if let Some(data) = &outcome.data {
            result["data"] = data.clone();
        }
        self.0.insert("result".into(), result);
        self
    }

    /// Adds why the call failed.
    pub(super) fn error(mut self, error: &CallError) -> Self {
        let mut object = json!({"code": error.code.as_str(), "message": error.message});
        if let Some(hint) = &error.hint {
            object["hint"] = hint.as_str().into();
        }
        self.0.insert("error".into(), object);
        self
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(&self.0).expect("every key is a string");
        // Whoever reads by lines has one.
        bytes.push(b'\n');
        bytes
    }
}

/// The answer of a hook.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum HookReply {
    /// It may go on, with these changes.
    Allow(HookChanges),
    /// It may if a person says so.
    Ask { message: String },
    /// It may not.
    Refuse {
        reason: String,
        hint: Option<String>,
    },
}

/// The changes of a hook to the things that it was shown. Only the keys of its moment can be set.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct HookChanges {
    pub(super) arguments: Option<Map<String, Value>>,
    pub(super) stdout: Option<String>,
    pub(super) stderr: Option<String>,
    pub(super) data: Option<Value>,
    pub(super) message: Option<String>,
    pub(super) hint: Option<String>,
}

impl HookReply {
    /// Reads an answer, or says why it is none.
    pub(super) fn read(moment: HookMoment, bytes: &[u8]) -> Result<Self, String> {
        let value: Value = match bytes.trim_ascii() {
            [] => return Err("it printed nothing".into()),
            text => serde_json::from_slice(text)
                .map_err(|error| format!("it printed no JSON object: {error}"))?,
        };
        let Value::Object(mut fields) = value else {
            return Err("it printed JSON, but no object".into());
        };
        let keys: usize = serde_json::from_slice::<KeyCount>(bytes).map_or(0, |count| count.0);
        if keys != fields.len() {
            return Err("it printed a key twice, and nobody knows which of them holds".into());
        }
        match fields.remove("version") {
            Some(version) if version == VERSION => {}
            Some(other) => {
                return Err(format!("`version` is {other}, and {VERSION} is understood"));
            }
            None => return Err(format!("`version` is missing, which is {VERSION}")),
        }
        let decision = match (moment, fields.remove("decision")) {
            (HookMoment::Error, None) => HookDecision::Allow,
            (HookMoment::Error, Some(_)) => {
                return Err("`decision` has no meaning where the call has failed already".into());
            }
            (_, Some(Value::String(word))) if word == "allow" => HookDecision::Allow,
            (_, Some(Value::String(word))) if word == "refuse" => HookDecision::Refuse,
            (HookMoment::Before, Some(Value::String(word))) if word == "ask" => HookDecision::Ask,
            (_, Some(other)) => {
                let words = decisions(moment);
                return Err(format!("`decision` is {other}, and must be {words}"));
            }
            (_, None) => {
                let words = decisions(moment);
                return Err(format!("`decision` is missing, which is {words}"));
            }
        };
        let mut text = |key: &str| match fields.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{key}` must be text")),
        };
        let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let answer = match decision {
            HookDecision::Refuse => Self::Refuse {
                reason: said(text("reason")?)
                    .ok_or("`reason` is missing: what the caller is told")?,
                hint: text("hint")?,
            },
            HookDecision::Ask => Self::Ask {
                message: said(text("message")?)
                    .ok_or("`message` is missing: what the person is asked")?,
            },
            HookDecision::Allow => {
                let mut changes = HookChanges::default();
                match moment {
                    HookMoment::Before => match fields.remove("arguments") {
                        None => {}
                        Some(Value::Object(arguments)) => changes.arguments = Some(arguments),
                        Some(_) => return Err("`arguments` must be an object".into()),
                    },
                    HookMoment::After => {
                        changes.stdout = text("stdout")?;
                        changes.stderr = text("stderr")?;
                        changes.data = fields.remove("data");
                    }
                    HookMoment::Error => {
                        changes.message = text("message")?;
                        changes.hint = text("hint")?;
                    }
                }
                Self::Allow(changes)
            }
        };
        match fields.keys().next() {
            Some(key) => Err(format!(
                "`{}` has no meaning in this answer",
                key.escape_debug()
            )),
            None => Ok(answer),
        }
    }
}

/// The word of a hook.
enum HookDecision {
    Allow,
    Ask,
    Refuse,
}

/// The words that a hook may say at this moment.
fn decisions(moment: HookMoment) -> &'static str {
    match moment {
        HookMoment::Before => r#""allow", "ask" or "refuse""#,
        HookMoment::After | HookMoment::Error => r#""allow" or "refuse""#,
    }
}

/// The number of keys of an object as it is written, each as often as it stands there.
struct KeyCount(usize);

impl<'de> Deserialize<'de> for KeyCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Count;
        impl<'de> Visitor<'de> for Count {
            type Value = KeyCount;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<KeyCount, M::Error> {
                let mut keys = 0;
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                    keys += 1;
                }
                Ok(KeyCount(keys))
            }
        }
        deserializer.deserialize_map(Count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(moment: HookMoment, text: &str) -> Result<HookReply, String> {
        HookReply::read(moment, text.as_bytes())
    }

    #[test]
    fn answers_are_what_is_documented_and_nothing_else() {
        use HookMoment::{After, Before, Error};
        let allowed = |answer| match answer {
            Ok(HookReply::Allow(changes)) => changes,
            other => panic!("{other:?}"),
        };
        let plain = read(Before, " {\"version\": 1, \"decision\": \"allow\"}\n");
        assert_eq!(allowed(plain), HookChanges::default());
        let changed = read(
            Before,
            r#"{"version": 1, "decision": "allow", "arguments": {"a": 1}}"#,
        );
        assert_eq!(allowed(changed).arguments.expect("they changed")["a"], 1);
        let masked = read(
            After,
            r#"{"version": 1, "decision": "allow", "stdout": "***"}"#,
        );
        assert_eq!(allowed(masked).stdout.as_deref(), Some("***"));
        let said = read(Error, r#"{"version": 1, "message": "no"}"#);
        assert_eq!(allowed(said).message.as_deref(), Some("no"));
        let refused = read(
            After,
            r#"{"version": 1, "decision": "refuse", "reason": "no"}"#,
        );
        assert!(matches!(refused, Ok(HookReply::Refuse { reason, .. }) if reason == "no"));

        let asked = read(
            Before,
            r#"{"version": 1, "decision": "ask", "message": "Really?"}"#,
        );
        assert!(matches!(asked, Ok(HookReply::Ask { message }) if message == "Really?"));

        for (moment, text) in [
            (Before, r#"{"version": 1, "decision": "ask"}"#),
            (
                Before,
                r#"{"version": 1, "decision": "ask", "message": "a", "arguments": {}}"#,
            ),
            (
                After,
                r#"{"version": 1, "decision": "ask", "message": "a"}"#,
            ),
            (Before, ""),
            (Before, "allow"),
            (Before, "[]"),
            (Before, r#"{"decision": "allow"}"#),
            (Before, r#"{"version": 2, "decision": "allow"}"#),
            (Before, r#"{"version": "1", "decision": "allow"}"#),
            (Before, r#"{"version": 1}"#),
            (Before, r#"{"version": 1, "decision": true}"#),
            (
                Before,
                r#"{"version": 1, "decision": "refuse", "reason": "no", "decision": "allow"}"#,
            ),
            (Before, r#"{"version": 1, "decision": "Allow"}"#),
            (Before, r#"{"version": 1, "decision": "allow"} ok"#),
            (Before, r#"{"version": 1, "decision": "refuse"}"#),
            (
                Before,
                r#"{"version": 1, "decision": "refuse", "reason": " "}"#,
            ),
            (
                Before,
                r#"{"version": 1, "decision": "allow", "reason": "no"}"#,
            ),
            (
                Before,
                r#"{"version": 1, "decision": "allow", "arguments": []}"#,
            ),
            (
                Before,
                r#"{"version": 1, "decision": "allow", "stdout": ""}"#,
            ),
            (
                After,
                r#"{"version": 1, "decision": "allow", "arguments": {}}"#,
            ),
            (After, r#"{"version": 1, "decision": "allow", "stdout": 1}"#),
            (Error, r#"{"version": 1, "decision": "allow"}"#),
            (Error, r#"{"version": 1, "stdout": ""}"#),
        ] {
            assert!(read(moment, text).is_err(), "{moment}: {text}");
        }
    }
}
