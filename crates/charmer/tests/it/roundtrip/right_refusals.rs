//! When a refusal is right: the calls that clap, or the bridge, may be unable to put into words.

use super::{
    level::{Level, globals},
    meaning::{Key, Meaning, Meant, Scalar},
    spec::{Arity, Spec, Type},
};

type Reason = Option<&'static str>;

/// Why clap may be unable to say what is meant; `None` for what must get through.
pub(super) fn excuse(lineage: &[&Level], meant: &Meant) -> Reason {
    (0..lineage.len()).find_map(|depth| {
        let place = Place::new(lineage, depth, meant);
        place
            .relation()
            .or_else(|| place.value())
            .or_else(|| place.negative_number())
            .or_else(|| match depth + 1 < lineage.len() {
                true => place.before_subcommand(),
                false => place.at_leaf(meant),
            })
    })
}

/// One command of a lineage, with what is given to it.
struct Place<'a> {
    lineage: &'a [&'a Level],
    depth: usize,
    level: &'a Level,
    given: Vec<(&'a Spec, &'a Meaning)>,
}

impl<'a> Place<'a> {
    fn new(lineage: &'a [&'a Level], depth: usize, meant: &'a Meant) -> Self {
        let level = lineage[depth];
        let given = level.args.iter().filter_map(|spec| {
            let meaning = meant.get(&(depth, spec.id.clone()))?;
            meaning.is_given().then_some((spec, meaning))
        });
        Self {
            lineage,
            depth,
            level,
            given: given.collect(),
        }
    }

    fn is_given(&self, id: &str) -> bool {
        self.gives(|spec| spec.id == id)
    }

    fn gives(&self, test: impl Fn(&Spec) -> bool) -> bool {
        self.given.iter().any(|(spec, _)| test(spec))
    }

    /// Whether any command of the lineage has such an argument.
    fn has_anywhere(&self, test: impl Fn(&Spec) -> bool) -> bool {
        self.lineage
            .iter()
            .any(|level| level.args.iter().any(&test))
    }

    fn has_last(&self) -> bool {
        self.level.args.iter().any(|spec| spec.last)
    }

    fn placed(&self) -> impl DoubleEndedIterator<Item = &'a Spec> {
        self.level.args.iter().filter(|spec| spec.is_placed())
    }

    fn is_command(&self, text: &str) -> bool {
        let children = &self.level.children;
        children.iter().any(|child| child.name == text)
            || (!children.is_empty() && text == "help")
            // The bridge's own command makes the root a parent.
            || (self.depth == 0 && ["help", "mcp"].contains(&text))
    }

    fn relation(&self) -> Reason {
        let pair = self.level.conflicts.as_ref();
        if pair.is_some_and(|(one, other)| self.is_given(one) && self.is_given(other)) {
            return Some("a conflict");
        }
        if let Some(group) = &self.level.group {
            let count = group.members.iter().filter(|id| self.is_given(id)).count();
            if (group.required && count == 0) || (!group.multiple && count > 1) {
                return Some("a group");
            }
        }
        let lifted = |id: &String| {
            pair.is_some_and(|(one, other)| {
                (one == id && self.is_given(other)) || (other == id && self.is_given(one))
            })
        };
        let mut required = self.level.args.iter().filter(|spec| spec.required);
        if required.any(|spec| !self.is_given(&spec.id) && !lifted(&spec.id)) {
            return Some("a requirement");
        }
        let mut behind_gap = self.placed().skip_while(|spec| self.is_given(&spec.id));
        if behind_gap.any(|spec| self.is_given(&spec.id)) {
            return Some("a gap");
        }
        None
    }

    fn value(&self) -> Reason {
        let is_leaf = self.depth + 1 == self.lineage.len();
        let has_digit = self.has_anywhere(|spec| spec.short == Some('5'));
        // Even behind `--` clap looks for a dash to tell where `<SRC>...` ends and `<DST>` begins.
        let before_target = self.placed().rev().nth(1);
        let has_target = before_target.is_some_and(|spec| spec.arity != Arity::One);
        // Whether `--` may be written before positionals that are known by their place.
        let protects = is_leaf && !self.has_last() && !has_target;
        for (spec, meaning) in &self.given {
            for scalar in meaning.scalars() {
                let text = scalar.text();
                if text.len() > 100_000 {
                    return Some("a text that is too long for a command line");
                }
                if text.contains(',') && spec.delimiter {
                    return Some("a delimiter");
                }
                if text.is_empty() && spec.kind == Type::Path {
                    return Some("an empty path, which clap does not take");
                }
                let protected = spec.is_positional() && (spec.last || protects);
                let seen_as_number =
                    spec.negatives && matches!(scalar, Scalar::Integer(_)) && !has_digit;
                let allowed = seen_as_number || (spec.hyphens && !spec.is_positional());
                let dash = text.len() > 1 && text.starts_with('-');
                if dash && spec.is_detached(meaning) && !allowed && !protected {
                    return Some("a detached dash");
                }
                if self.is_command(&text) && spec.is_positional() && !protected {
                    return Some("the name of a command");
                }
            }
        }
        None
    }

    fn negative_number(&self) -> Reason {
        let mistaken = self.gives(|spec| spec.long.is_none() && spec.short == Some('5'))
            && self.has_anywhere(|spec| spec.hyphens || spec.negatives);
        mistaken.then_some("a flag that looks like a negative number")
    }

    fn before_subcommand(&self) -> Reason {
        if self.gives(|spec| spec.is_placed() && spec.arity != Arity::One) {
            return Some("a list before a subcommand");
        }
        let given = self.given.iter();
        let local = given.filter(|(spec, _)| !spec.is_positional() && !spec.global);
        let (open, closed): (Vec<_>, Vec<_>) =
            local.partition(|(spec, meaning)| spec.stays_open(meaning));
        if !open.is_empty() && (closed.is_empty() || open.iter().any(|(spec, _)| spec.hyphens)) {
            return Some("an open flag before a subcommand");
        }
        if self.gives(|spec| spec.last) {
            return Some("dashes before a subcommand");
        }
        None
    }

    fn at_leaf(&self, meant: &Meant) -> Reason {
        // Globals are written at the leaf.
        let inherited = globals(&self.lineage[..self.depth])
            .filter_map(|(depth, spec)| Some((spec, meant.get(&(depth, spec.id.clone()))?)));
        let open: Vec<&Spec> = inherited
            .chain(self.given.iter().copied())
            .filter(|(spec, meaning)| spec.stays_open(meaning))
            .map(|(spec, _)| spec)
            .collect();
        let hungry = open.iter().filter(|spec| spec.hyphens).count();
        let behind = self.gives(|spec| spec.last);
        let needs_dashes = |text: String| text.starts_with('-') || self.is_command(&text);
        let dashed = self.given.iter().any(|(spec, meaning)| {
            let mut scalars = meaning.scalars().into_iter();
            spec.is_positional() && scalars.any(|scalar| needs_dashes(scalar.text()))
        });
        let swallowing =
            self.gives(|spec| spec.is_placed() && spec.hyphens && spec.arity != Arity::One);
        if hungry > 1 || (hungry == 1 && (behind || dashed || swallowing)) {
            return Some("a flag that takes even flags for values");
        }
        if swallowing && self.has_last() && (behind || !open.is_empty()) {
            return Some("a positional that takes even flags for values");
        }
        None
    }
}

/// What clap could say and the bridge refuses all the same, with a reason: rare forms, none of them run wrongly.
pub(super) fn pending(lineage: &[&Level], meant: &Meant) -> Reason {
    let leaf = lineage.len() - 1;
    let mut found = None;
    for ((depth, id), meaning) in meant {
        let level = lineage[*depth];
        let spec = level.arg(id)?;
        let written = if spec.global { leaf } else { *depth };
        let mut beside = lineage[written]
            .args
            .iter()
            .filter(|spec| spec.is_placed() && spec.hyphens);
        let given = |spec: &Spec| meant.contains_key(&(written, spec.id.clone()));
        let group = level.group.as_ref().filter(|group| group.required);
        let in_required_group = group.is_some_and(|group| group.members.contains(id));
        let hungry = written == leaf && spec.hyphens && spec.stays_open(meaning);
        let mut others = meant.iter().filter(|((_, other), _)| other != id);

        if spec.long.is_none() && spec.short.is_some() && beside.clone().next().is_some() {
            found = Some("P1: `-a=v` beside a positional that takes hyphens");
        }
        if *meaning == Meaning::Bare && spec.delimiter {
            found = Some("P3: a bare flag whose value is a list");
        }
        if in_required_group && spec.global && *depth < leaf {
            found = Some("P4: a global flag where its required group does not see it");
        }
        if hungry && beside.any(given) {
            found = Some("P5: `--` behind an open flag that takes hyphens");
        }
        let is_open = |((depth, id), meaning): (&Key, &Meaning)| {
            let spec = lineage[*depth].arg(id);
            spec.is_some_and(|spec| spec.stays_open(meaning))
        };
        if hungry && others.any(is_open) {
            found = Some("P6: an open flag that takes hyphens before another open one");
        }
    }
    found
}
