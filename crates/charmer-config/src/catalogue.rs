//! From a source to the tools of its program: what the catalogue is made with, and what it shows to be a mistake.

use charmer_core::{
    model::Cli,
    text::nearest,
    tool::{Catalogue, CatalogueOptions, Pin, PinValue, Pins, Tool},
};

use crate::{FilePlace, FileWarning, Mismatches, ModelMismatch, Pinned, SourceEntry};

impl SourceEntry {
    /// The flags that are pinned.
    pub fn pins(&self) -> Vec<Pin> {
        let value = |pinned: &Pinned| match pinned {
            Pinned::Switch(on) => PinValue::Switch(*on),
            Pinned::Text(text) => PinValue::Text(text.clone()),
            Pinned::List(texts) => PinValue::List(texts.clone()),
        };
        self.set
            .iter()
            .map(|(flag, pinned)| Pin::new(flag.as_str(), value(pinned)))
            .collect()
    }

    /// The options for the catalogue of this program: prefix, layout, selectors, pins and declared outputs. The model
    /// comes from [`apply`](Self::apply); a pin that it has no place for is an error.
    ///
    /// ```
    /// use charmer_config::Config;
    /// use charmer_core::{model::{Cli, Command, Flag, Syntax}, tool::catalogue};
    ///
    /// let text = "sources: [{binary: ship, prefix: s, set: {harbour: north}}]";
    /// let source = &Config::parse(text, "charmer.yaml").unwrap().sources[0];
    /// let dock = Command::new("dock").flag(Flag::new("harbour").pflag("string"));
    /// let mut cli = Cli::new(Command::new("ship").not_runnable().command(dock), Syntax::pflag());
    ///
    /// source.apply(&mut cli).unwrap();
    /// let tools = catalogue(&cli, &source.catalogue_options(&cli).unwrap());
    /// assert_eq!(tools.tools[0].name.as_str(), "s_dock");
    /// assert_eq!(tools.pins[0].tools, 1);
    /// assert_eq!(source.warnings(&tools), []);
    /// ```
    pub fn catalogue_options(&self, cli: &Cli) -> Result<CatalogueOptions, Mismatches> {
        let pins = Pins::resolve(cli, &self.pins())
            .map_err(|errors| Mismatches(errors.into_iter().map(ModelMismatch::from).collect()))?;
        let mut options = CatalogueOptions::default();
        options.prefix.clone_from(&self.prefix);
        options.layout = self.layout;
        options.selectors = self.selectors();
        options.pins = pins;
        let outputs = self.outputs(cli).into_iter();
        options.outputs = outputs
            .filter_map(|(path, declared)| Some((path, declared.data_schema()?)))
            .collect();
        Ok(options)
    }

    /// The mistakes that its tools bring to light: a check of an argument that no tool of its entry has.
    pub fn warnings(&self, catalogue: &Catalogue) -> Vec<FileWarning> {
        let mut warnings = Vec::new();
        for (at, selector) in self.select.iter().enumerate() {
            // An entry stands here several times where a file includes another; it is told of once.
            if self.select[..at]
                .iter()
                .any(|one| one.is_same_entry(selector))
            {
                continue;
            }
            let is_of_it = |tool: &&Tool| {
                let own = tool.selector.and_then(|at| self.select.get(at));
                own.is_some_and(|own| own.is_same_entry(selector))
            };
            let tools = || catalogue.tools.iter().map(AsRef::as_ref).filter(is_of_it);
            for check in &selector.validate {
                if tools().next().is_none() || tools().any(|tool| check.applies_to(tool)) {
                    continue;
                }
                let name = check.argument.trim_start_matches('-');
                let near = nearest(name, tools().flat_map(keys)).map(str::to_owned);
                warnings.push(FileWarning {
                    message: format!(
                        "`validate` of entry {} of `select` checks `{}`, which none of its tools has",
                        selector.number + 1,
                        check.argument
                    ),
                    hint: match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "correct its name; `args` stands for every positional".to_owned(),
                    },
                    place: FilePlace::of(["select", &selector.number.to_string(), "validate", &check.argument]),
                });
            }
        }
        warnings
    }
}

fn keys(tool: &Tool) -> impl Iterator<Item = &str> {
    let flags = tool.input.flags.iter().map(|flag| flag.key.as_str());
    let positionals = tool.input.positionals.iter();
    flags.chain(positionals.map(|positional| positional.key.as_str()))
}
