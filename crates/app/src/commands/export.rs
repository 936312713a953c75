//! `cubist export`: the transition system, for other tools.

use crate::arguments::Export;
use crate::export;
use crate::outcomes::diagnostics;
use crate::programs;
use crate::terminal::{self, Paint};
use anyhow::Context as _;
use driver::Input;
use driver::write_whole;
use logic::Cancellation;
use report::Status;

pub(crate) fn run(arguments: &Export) -> anyhow::Result<Status> {
    programs::expect_model(&arguments.file, "export")?;
    let input = Input::read(&arguments.file, &arguments.reading.how())?;
    let input = input.for_proof(&Cancellation::new())?;
    terminal::complain(&diagnostics::text(&input.diagnostics, input.sources(), Paint::stderr()));
    let text = export::text(input.model.system()?, arguments.to, &input.file().name)?;
    match &arguments.output {
        Some(path) => write_whole(path, &text).with_context(|| format!("cannot write {}", path.display()))?,
        None => terminal::print_file(&text)?,
    }
    Ok(Status::Done)
}
