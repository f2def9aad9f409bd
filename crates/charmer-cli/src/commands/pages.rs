//! `charmer completions` and `charmer man`.

use std::{path::Path, process::ExitCode};

use clap::CommandFactory;
use clap_complete::Shell;

use crate::{args::Args, output, problem::Problem};

pub(crate) fn completions(shell: Shell) -> Result<ExitCode, Problem> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "charmer", &mut script);
    output::print_raw(&script)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(folder: Option<&Path>) -> Result<ExitCode, Problem> {
    let mut command = Args::command();
    command.build();
    let Some(folder) = folder else {
        output::print_raw(&page(command)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        Problem::failed(format!("`{}` cannot be made: {error}", folder.display()))
    })?;
    let mut written = 0;
    let mut rest = vec![command];
    while let Some(command) = rest.pop() {
        let name = command.get_name().to_owned();
        let below = command
            .get_subcommands()
            .filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
            .map(|sub| sub.clone().name(format!("{name}-{}", sub.get_name())));
        rest.extend(below);
        output::write(&folder.join(format!("{name}.1")), &page(command)?)?;
        written += 1;
    }
    output::note(&format!("wrote {written} pages to {}", folder.display()));
    Ok(ExitCode::SUCCESS)
}

fn page(command: clap::Command) -> Result<Vec<u8>, Problem> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(page)
}
