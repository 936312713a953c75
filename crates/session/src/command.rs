//! What a user can say, as a line of text: scripts and saved sessions are such lines.

use std::fmt;

/// A formula that was offered, by its name, or one of the user's own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    Label(String),
    Formula(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    Status,
    Goals,
    /// Goes on with another goal.
    Goal(String),
    Analyze,
    Induct,
    Strengthen(usize),
    Abstract(Vec<Operand>),
    Wish,
    Trace,
    Why,
    Conjecture(Operand),
    Suggest,
    Take(usize),
    Auto,
    Undo,
    Save(String),
    Qed,
    Help,
}

/// The words that a line can begin with, how they go on, and what they do.
pub const HELP: [(&str, &str, &str); 18] = [
    ("status", "", "what is proved, what is open, and what was spent"),
    ("goals", "", "the goal in hand with its pending subgoals"),
    ("goal", "NAME", "go on with another goal"),
    (
        "analyze",
        "",
        "invariants by static analysis: what holds wherever control is",
    ),
    (
        "induct",
        "",
        "does every rule keep the goal? what is left to show is a subgoal each",
    ),
    (
        "strengthen",
        "[N]",
        "add weakest preconditions to the goal, up to N times (4)",
    ),
    (
        "abstract",
        "[with P ...]",
        "search the abstract system over predicates: labels, or formulas between semicolons",
    ),
    ("wish", "", "what the abstract system should show, and whether it does"),
    ("trace", "", "the abstract run that stands in the way"),
    (
        "why",
        "",
        "is there a concrete run like it? if not, what does the abstraction not know?",
    ),
    (
        "conjecture",
        "C",
        "a further goal: a label, or a formula; once proved it helps with the others",
    ),
    ("suggest", "", "what to do next, the likeliest first"),
    ("take", "[N]", "do what is suggested under this number (1)"),
    (
        "auto",
        "",
        "follow the first suggestion until nothing is left to do, or to suggest",
    ),
    ("undo", "", "take the last step back"),
    ("save", "FILE", "write the steps so far as a script"),
    ("qed", "", "finish: the certificate is made and confirmed"),
    ("help", "", "this list"),
];

/// The default number of rounds of strengthening.
pub(crate) const ROUNDS: usize = 4;

impl Command {
    /// Reads a line; what follows `#` is a comment. `None` where there is nothing to do.
    pub fn parse(line: &str) -> Result<Option<Command>, String> {
        if line.trim().contains(['\n', '\r']) {
            return Err("a command is one line".to_owned());
        }
        let line = line.split('#').next().unwrap_or_default().trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let alone = |command: Command| match rest {
            "" => Ok(Some(command)),
            _ => Err(format!("`{word}` stands alone, without `{rest}`")),
        };
        let number = |default: usize| match rest {
            "" => Ok(default),
            _ => rest
                .parse()
                .map_err(|_| format!("`{word}` is followed by a number, not by `{rest}`")),
        };
        let expect = |what: &str| match rest {
            "" => Err(format!("`{word}` is followed by {what}")),
            _ => Ok(rest.to_owned()),
        };
        match word {
            "" => Ok(None),
            "status" => alone(Command::Status),
            "goals" => alone(Command::Goals),
            "goal" => Ok(Some(Command::Goal(expect("the name or the number of a goal")?))),
            "analyze" | "analyse" => alone(Command::Analyze),
            "induct" => alone(Command::Induct),
            "strengthen" => Ok(Some(Command::Strengthen(number(ROUNDS)?))),
            "abstract" => Ok(Some(Command::Abstract(operands(rest)?))),
            "wish" | "wishes" => alone(Command::Wish),
            "trace" => alone(Command::Trace),
            "why" => alone(Command::Why),
            "conjecture" => Ok(Some(Command::Conjecture(operand(&expect("a formula")?)))),
            "suggest" => alone(Command::Suggest),
            "take" => Ok(Some(Command::Take(number(1)?))),
            "auto" => alone(Command::Auto),
            "undo" => alone(Command::Undo),
            "save" => Ok(Some(Command::Save(expect("the name of a file")?))),
            "qed" => alone(Command::Qed),
            "help" => alone(Command::Help),
            _ => {
                let mut words = HELP.iter().map(|(known, _, _)| *known);
                let like = words.find(|known| known.starts_with(word.get(..2).unwrap_or(word)));
                let hint = like.map_or_else(|| "`help` lists what there is".to_owned(), |like| format!("`{like}`?"));
                Err(format!("there is no command `{word}`; {hint}"))
            }
        }
    }

    /// Whether it changes what is known, so that it is part of a script and can be undone.
    pub fn is_step(&self) -> bool {
        match self {
            Command::Goal(_) | Command::Analyze | Command::Induct | Command::Strengthen(_) => true,
            Command::Abstract(_) | Command::Why | Command::Conjecture(_) => true,
            Command::Status | Command::Goals | Command::Wish | Command::Trace | Command::Suggest => false,
            Command::Take(_) | Command::Auto | Command::Undo | Command::Save(_) | Command::Qed | Command::Help => false,
        }
    }
}

/// `with p1 p2`, or `with a <= t; b <= t`; nothing stands for what was used before.
fn operands(rest: &str) -> Result<Vec<Operand>, String> {
    let Some(list) = rest
        .strip_prefix("with")
        .filter(|list| list.is_empty() || list.starts_with(char::is_whitespace))
    else {
        return match rest {
            "" => Ok(Vec::new()),
            _ => Err("`abstract` is followed by `with` and predicates".to_owned()),
        };
    };
    let mut operands = Vec::new();
    for part in list.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_whitespace().all(is_label) {
            true => operands.extend(part.split_whitespace().map(operand)),
            false => operands.push(operand(part)),
        }
    }
    match operands.is_empty() {
        true => Err("`with` is followed by predicates".to_owned()),
        false => Ok(operands),
    }
}

fn operand(text: &str) -> Operand {
    match is_label(text) {
        true => Operand::Label(text.to_owned()),
        false => Operand::Formula(text.to_owned()),
    }
}

/// `p1`, `c12`: what sessions call what they offer.
fn is_label(text: &str) -> bool {
    let number = text.strip_prefix(['p', 'c']);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Label(text) | Operand::Formula(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Status => f.write_str("status"),
            Command::Goals => f.write_str("goals"),
            Command::Goal(name) => write!(f, "goal {name}"),
            Command::Analyze => f.write_str("analyze"),
            Command::Induct => f.write_str("induct"),
            Command::Strengthen(rounds) => write!(f, "strengthen {rounds}"),
            Command::Abstract(operands) if operands.is_empty() => f.write_str("abstract"),
            Command::Abstract(operands) => {
                let is_plain = operands.iter().all(|operand| matches!(operand, Operand::Label(_)));
                let separator = if is_plain { " " } else { "; " };
                let operands: Vec<String> = operands.iter().map(Operand::to_string).collect();
                write!(f, "abstract with {}", operands.join(separator))
            }
            Command::Wish => f.write_str("wish"),
            Command::Trace => f.write_str("trace"),
            Command::Why => f.write_str("why"),
            Command::Conjecture(formula) => write!(f, "conjecture {formula}"),
            Command::Suggest => f.write_str("suggest"),
            Command::Take(number) => write!(f, "take {number}"),
            Command::Auto => f.write_str("auto"),
            Command::Undo => f.write_str("undo"),
            Command::Save(path) => write!(f, "save {path}"),
            Command::Qed => f.write_str("qed"),
            Command::Help => f.write_str("help"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_again() {
        let lines = [
            "status",
            "strengthen 2",
            "abstract",
            "abstract with p1 p2",
            "abstract with a <= t; p1",
            "conjecture c3",
            "conjecture x = y -> z",
            "goal 2",
            "take 1",
            "save proof.script",
        ];
        for line in lines {
            assert_eq!(
                Command::parse(line).map(|c| c.map(|c| c.to_string())),
                Ok(Some(line.to_owned()))
            );
        }
        for (word, _, _) in HELP {
            let read = Command::parse(word);
            assert!(
                read.is_ok() || read.is_err_and(|error| error.contains("followed by")),
                "{word}"
            );
        }
    }

    #[test]
    fn comments_are_nothing_and_mistakes_are_named() {
        assert_eq!(Command::parse("  # only this"), Ok(None));
        assert_eq!(Command::parse("induct # and this"), Ok(Some(Command::Induct)));
        for (line, expected) in [
            ("induce", "there is no command `induce`; `induct`?"),
            ("strengthen much", "followed by a number"),
            ("induct now", "stands alone"),
            ("abstract p1", "followed by `with`"),
            ("abstract with", "followed by predicates"),
            ("conjecture", "followed by a formula"),
            ("conjecture x\n| true", "one line"),
        ] {
            assert!(
                Command::parse(line).is_err_and(|error| error.contains(expected)),
                "{line}"
            );
        }
    }
}
