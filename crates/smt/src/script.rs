//! Running a whole SMT-LIB script, such as a certificate.

use crate::process::{Dialogue, Received, SolverCommand};
use crate::process_backend::unexpected;
use crate::solver::{Answer, SolverError, UnknownReason};
use logic::Cancellation;
use std::time::{Duration, Instant};

/// How often what a solver tells of its work is listened to.
const PERIOD: Duration = Duration::from_millis(50);

/// Runs the script and returns the answers to its checks in order. Anything that is not as it should be, an error
/// message among the answers first of all, is an error: z3 goes on after its own errors, and ends well.
///
/// Where the time is up, the last answer is `Unknown(Timeout)`, and those that did not come are missing.
pub fn run_script(
    command: &SolverCommand,
    script: &str,
    timeout: Option<Duration>,
    cancellation: &Cancellation,
) -> Result<Vec<Answer>, SolverError> {
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut dialogue = Dialogue::start(command)?;
    dialogue.send(script.to_owned())?;
    dialogue.close_input();
    let mut answers = Vec::new();
    loop {
        let response = match dialogue.receive(deadline, cancellation)? {
            Received::Response(response) => response,
            Received::End => break,
            Received::Timeout => {
                answers.push(Answer::Unknown(UnknownReason::Timeout));
                return Ok(answers);
            }
            Received::Interrupted => {
                answers.push(Answer::Unknown(UnknownReason::Interrupted));
                return Ok(answers);
            }
        };
        match response.as_str() {
            "sat" => answers.push(Answer::Sat),
            "unsat" => answers.push(Answer::Unsat),
            "unknown" => answers.push(Answer::Unknown(UnknownReason::Incomplete(String::new()))),
            "timeout" => answers.push(Answer::Unknown(UnknownReason::Timeout)),
            "success" => {}
            // Answers to `(get-model)`, `(get-info ...)`, `(echo ...)`.
            list if list.starts_with('(') && !list.starts_with("(error") => {}
            text if text.starts_with('"') => {}
            other => return Err(unexpected(other)),
        }
    }
    dialogue.failure().map_or(Ok(answers), Err)
}

/// Runs a script that ends with a check, and asks for a model where there is one: the answer, and the text of the
/// model. What the solver writes on its standard error while it works is told line by line.
pub fn model_of_script(
    command: &SolverCommand,
    script: &str,
    timeout: Option<Duration>,
    cancellation: &Cancellation,
    told: &mut dyn FnMut(&str),
) -> Result<(Answer, Option<String>), SolverError> {
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut dialogue = Dialogue::listening(command)?;
    dialogue.send(script.to_owned())?;
    let mut next = || match received(&mut dialogue, deadline, cancellation, told)? {
        Received::Response(response) => Ok(Ok(response)),
        Received::End => Err(SolverError::Died("without an answer".to_owned())),
        Received::Timeout => Ok(Err(UnknownReason::Timeout)),
        Received::Interrupted => Ok(Err(UnknownReason::Interrupted)),
    };
    let answer = match next()?.as_deref() {
        Ok("sat") => Answer::Sat,
        Ok("unsat") => Answer::Unsat,
        Ok("unknown") => Answer::Unknown(UnknownReason::Incomplete(String::new())),
        Ok("timeout") => Answer::Unknown(UnknownReason::Timeout),
        Ok(other) => return Err(unexpected(other)),
        Err(reason) => Answer::Unknown(reason.clone()),
    };
    if answer != Answer::Sat {
        return Ok((answer, None));
    }
    dialogue.send("(get-model)\n".to_owned())?;
    Ok(match dialogue.receive(deadline, cancellation)? {
        Received::Response(model) if !model.starts_with("(error") => (answer, Some(model)),
        Received::Response(other) => return Err(unexpected(&other)),
        _ => (answer, None),
    })
}

/// A response, with what is told before it comes.
fn received(
    dialogue: &mut Dialogue,
    deadline: Option<Instant>,
    cancellation: &Cancellation,
    told: &mut dyn FnMut(&str),
) -> Result<Received, SolverError> {
    loop {
        let soon = Instant::now() + PERIOD;
        let received = dialogue.receive(Some(deadline.map_or(soon, |end| end.min(soon))), cancellation)?;
        dialogue.lines().for_each(|line| told(&line));
        let is_late = deadline.is_some_and(|end| end <= Instant::now());
        if received != Received::Timeout || is_late {
            return Ok(received);
        }
    }
}
