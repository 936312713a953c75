//! `cubist-cvc5` holds a dialogue: each command is answered before the next is sent, and an error ends it.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Dialogue {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Dialogue {
    fn start(options: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_cubist-cvc5"))
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, input, output }
    }

    fn tell(&mut self, commands: &str) {
        self.input.write_all(commands.as_bytes()).unwrap();
    }

    /// The next line that it prints; empty when it prints no more.
    fn ask(&mut self, commands: &str) -> String {
        self.tell(commands);
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Ends the input; what it still prints, and whether it was content.
    fn finish(mut self) -> (String, bool) {
        drop(self.input);
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        (rest, self.process.wait().unwrap().success())
    }
}

#[test]
fn answers_each_command_at_once() {
    let mut cvc5 = Dialogue::start(&["--incremental"]);
    cvc5.tell("(set-option :produce-models true)(set-option :produce-unsat-assumptions true)");
    cvc5.tell("(set-logic ALL) ; a comment (\n(declare-const |x (| Int)(declare-const p Bool)");
    cvc5.tell("(declare-const q Bool)(assert (=> p (< |x (| 2)))(assert (= |x (| 5))");
    assert_eq!(cvc5.ask("(check-sat)"), "sat");
    assert_eq!(cvc5.ask("(get-value (|x (|))"), "((|x (| 5))");
    assert_eq!(cvc5.ask("(check-sat-assuming (p q))"), "unsat");
    assert_eq!(cvc5.ask("(get-unsat-assumptions)"), "(p)");
    assert_eq!(cvc5.finish(), (String::new(), true));
}

#[test]
fn says_unknown_at_its_limit_and_remembers_the_limit() {
    let mut cvc5 = Dialogue::start(&["--rlimit-per=10000"]);
    for _ in 0..2 {
        cvc5.tell("(reset)(set-logic QF_NIA)(declare-const a Int)(declare-const b Int)(declare-const c Int)");
        cvc5.tell("(assert (and (> a 2) (> b 2) (= (+ (* a a a a a) (* b b b b b)) (* c c c c c))))");
        assert_eq!(cvc5.ask("(check-sat)"), "unknown");
    }
    assert_eq!(cvc5.finish(), (String::new(), true));
}

#[test]
fn an_error_ends_the_dialogue() {
    for wrong in [
        "(assert undeclared)",
        "(echo \"a\"",
        "check-sat ()",
        "(get-model)",
        "(no-such-command)",
    ] {
        let mut cvc5 = Dialogue::start(&[]);
        cvc5.tell("(set-logic ALL)");
        cvc5.tell(wrong);
        let (answer, content) = cvc5.finish();
        assert!(answer.starts_with("(error \"") && !content, "{wrong}: {answer}");
    }
}
