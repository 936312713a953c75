//! The command line, as `clap` reads it: the commands here, their options in the files beside.

mod check;
mod conform;
mod explore;
mod export;
mod program;
mod prove;
mod shared;
mod show;
mod validate;

pub(crate) use check::{Check, ConstrainName};
pub(crate) use conform::{Conform, LevelsName, MinimisationName};
pub(crate) use explore::{Deadlock, Explore};
pub(crate) use export::{Export, ExportFormat};
pub(crate) use program::{Meaning, Specified, UndefinedName};
pub(crate) use prove::{Prove, Serve};
pub(crate) use shared::Reading;
pub(crate) use show::Show;
pub(crate) use validate::Validate;

use crate::outputs::Outputs;
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  cubist check models/mutex-server.m                 prove it for any number of clients, or find a bug
  cubist check models/mutex-server.m --graph g.svg   and draw the abstract states
  cubist check models/*.m --timeout 1m               several models, and a table of what came of them
  cubist check models/german-bug.m --chart run.svg   draw the run of a violation
  cubist explore models/german.m                     search the instance that the file describes
  cubist explore models/german.m --size PROC=4       with four elements in the type PROC
  cubist explore model.cub --size proc=3             a Cubicle model with three processes
  cubist explore models/german-bug.m --full-states   show whole states in the counterexample
  cubist explore models/peterson.m --simulate 1 --steps 20
  cubist explore models/peterson.m --graph states.svg
  cubist show models/german.m                        which types a proof takes at any size, and why
  cubist check driver.c                              prove that no run of a C program fails, or show one
  cubist check programs/lock.c --rule rules/spin-lock.rule
  cubist explore driver.c                            run it on many inputs, and look for undefined behaviour

Exit status: 0 proved or no violation, 10 a property is violated, 20 unknown or a limit was hit first, 2 bad input or usage,
70 an internal error.";

/// Proves protocols written in Murphi or Cubicle, and C programs, or finds their bugs.
#[derive(Parser, Debug)]
#[command(name = "cubist", version, about, after_help = EXAMPLES, max_term_width = 100, infer_long_args = false)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Prove the properties for every size, or find a violation
    Check(Box<Check>),
    /// Prove a model step by step: each failure says what to try next
    Prove(Box<Prove>),
    /// Prove a model step by step in a browser, on a page that this machine serves
    Serve(Box<Serve>),
    /// Search all states of a finite instance, or simulate random runs
    Explore(Box<Explore>),
    /// Decide whether components in C, side by side, do only what a state machine allows
    Conform(Box<Conform>),
    /// Have another solver confirm a certificate that `check --certificate` wrote, and hold it against its model
    Validate(Box<Validate>),
    /// Show what was read: types and their sizes, rules, properties, the transition system
    Show(Show),
    /// Write the transition system for other tools
    Export(Export),
}

impl Command {
    /// The files that the command is about.
    pub(crate) fn files(&self) -> &[PathBuf] {
        match self {
            Command::Check(check) => &check.files,
            Command::Explore(explore) => &explore.files,
            Command::Conform(conform) => conform.spec.get(..1).unwrap_or_default(),
            Command::Prove(prove) => std::slice::from_ref(&prove.file),
            Command::Serve(serve) => std::slice::from_ref(&serve.file),
            Command::Validate(validate) => std::slice::from_ref(&validate.file),
            Command::Show(show) => std::slice::from_ref(&show.file),
            Command::Export(export) => std::slice::from_ref(&export.file),
        }
    }

    /// The name of the file that the command is about, for reports of failures.
    pub(crate) fn name(&self) -> String {
        self.files()
            .first()
            .map(|file| driver::shown_name(file))
            .unwrap_or_default()
    }

    /// Takes the results that are wanted for other programs out of the command.
    pub(crate) fn take_outputs(&mut self) -> Outputs {
        match self {
            Command::Check(check) => std::mem::take(&mut check.outputs),
            Command::Explore(explore) => std::mem::take(&mut explore.outputs),
            _ => Outputs::default(),
        }
    }

    /// Is about this one of its files only.
    pub(crate) fn keep_file(&mut self, number: usize) {
        let (files, beside) = match self {
            Command::Check(check) => (&mut check.files, &mut check.reading.beside),
            Command::Explore(explore) => (&mut explore.files, &mut explore.reading.beside),
            _ => return,
        };
        *beside = std::mem::take(files);
        *files = beside.get(number).cloned().into_iter().collect();
        beside.retain(|file| !files.contains(file));
    }

    /// Options that name a file to write: with several models each would write over the one before.
    pub(crate) fn written(&self) -> Vec<&'static str> {
        let options: &[(&str, bool)] = match self {
            Command::Check(check) => &[
                ("--certificate", check.certificate.is_some()),
                ("--harness", check.harness.is_some()),
                ("--witness", check.witness.is_some()),
                ("--report", check.report.is_some()),
                ("--run", check.run.is_some()),
                ("--resume", check.resume.is_some()),
                ("--graph", check.graph.is_some()),
                ("--chart", check.chart.is_some()),
            ],
            Command::Explore(explore) => &[
                ("--graph", explore.graph.is_some()),
                ("--chart", explore.chart.is_some()),
            ],
            _ => &[],
        };
        let given = options.iter().filter(|(_, is_given)| *is_given);
        given.map(|(option, _)| *option).collect()
    }

    pub(crate) fn quiet(&self) -> bool {
        match self {
            Command::Check(check) => check.style.quiet,
            Command::Explore(explore) => explore.style.quiet,
            Command::Conform(conform) => conform.style.quiet,
            _ => false,
        }
    }

    /// The files that are read, as far as they may be the standard input.
    fn read(&self) -> Vec<&Path> {
        let others: Vec<Option<&PathBuf>> = match self {
            Command::Check(check) => vec![
                check.properties.as_ref(),
                check.also.as_ref(),
                check.induction.as_ref(),
                check.predicates.as_ref(),
            ],
            Command::Validate(validate) => {
                let beside = [&validate.properties, &validate.also, &validate.predicates];
                let models = validate.models.iter().map(Some);
                models.chain(beside.map(Option::as_ref)).collect()
            }
            Command::Prove(prove) => vec![prove.properties.as_ref(), prove.script.as_ref()],
            Command::Serve(serve) => vec![serve.properties.as_ref()],
            // The first one is what the command is about.
            Command::Conform(conform) => conform.spec.iter().skip(1).map(Some).collect(),
            _ => Vec::new(),
        };
        let others = others.into_iter().flatten();
        self.files().iter().chain(others).map(PathBuf::as_path).collect()
    }

    /// What standard input says can be had once only.
    pub(crate) fn expect_one_standard_input(&self) -> anyhow::Result<()> {
        let files = self.read();
        match files.iter().filter(|path| driver::is_standard_input(path)).count() {
            0 | 1 => Ok(()),
            _ => anyhow::bail!("only one file can be `-`: what standard input says is read once"),
        }
    }

    pub(crate) fn json(&self) -> bool {
        match self {
            Command::Check(check) => check.style.json,
            Command::Prove(prove) => prove.style.json,
            Command::Explore(explore) => explore.style.json,
            Command::Conform(conform) => conform.style.json,
            Command::Validate(validate) => validate.json,
            Command::Export(_) | Command::Serve(_) => false,
            Command::Show(show) => show.json,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }
}
