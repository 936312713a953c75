//! No file content makes the front end panic or diverge.

mod support;

use cubicle::CompileOptions;
use oorandom::Rand64;
use support::{corpus, read};
use system::{SourceFile, Sources};
use testing::Outcome;

/// Runs the whole front end on a text.
fn swallow(text: String) {
    let file = SourceFile::new("test.cub", text);
    let (program, mut diagnostics) = cubicle::parse(&file);
    let (model, more) = cubicle::check(&program);
    diagnostics.extend(more);
    for diagnostic in &diagnostics {
        diagnostic.render(&Sources::from(&file), false);
    }
    let (_, refused) = cubicle::compile(&model, &CompileOptions::default());
    assert_eq!(model.broken, cubicle::lower(&model).is_err());
    assert!(!model.broken || !refused.is_empty());
}

const SAMPLE: &str = r"(* A little of everything. *)
number_procs 3
type state = Idle | Wait | Crit
type data
const N : int
var Turn : proc
var Clock : real
var D : data
array PC[proc] : state
array Seen[proc, proc] : bool
init (x y) { PC[x] = Idle && Seen[x, y] = False && Turn = #1 && (Clock = 0.5 || Clock < -1.) }
predicate waits(p, s) { PC[p] = s && not (if Turn = p then true else Clock >= 2. + 0) }
invariant (x) { forall y <> z. Seen[y, z] = True => PC[x] = Wait }
unsafe (x y) { PC[x] = Crit && PC[y] = Crit }
transition go (x) requires { PC[x] = Idle && forall_other j. (j < x || PC[j] <> Crit) <=> exists k. k <> Turn }
{ let here = Wait in PC[x] := here; Turn := .; D := ?;
  Seen[i, j] := case | i = x && j = x : True | _ : Seen[j, i]; Clock := case | Turn = x : Clock + 2 | _ : Clock - 1.5; }
";

struct Numbers(Rand64);

impl Numbers {
    fn new(seed: u128) -> Numbers {
        Numbers(Rand64::new(seed))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0.rand_range(0..limit.max(1) as u64) as usize
    }
}

fn every_prefix_can_be_read() {
    for (end, _) in SAMPLE.char_indices() {
        swallow(SAMPLE[..end].to_owned());
        swallow(SAMPLE[end..].to_owned());
    }
}

fn files_of_the_corpus_can_be_cut_anywhere() -> Outcome {
    let mut numbers = Numbers::new(1);
    for path in corpus()? {
        let text = read(&path).text;
        for _ in 0..20 {
            let mut cut = numbers.below(text.len());
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            swallow(text[..cut].to_owned());
        }
    }
    Ok(())
}

/// Random sequences of keywords reach deeper into the parser than random characters.
fn words_in_any_order_can_be_read() {
    let words: Vec<&str> = SAMPLE
        .split_whitespace()
        .chain(["{", "}", "(", ")", "|", "é", "#9", "-3", "\0"])
        .collect();
    let mut numbers = Numbers::new(2);
    for _ in 0..2000 {
        let count = numbers.below(60);
        let chosen: Vec<&str> = (0..count).map(|_| words[numbers.below(words.len())]).collect();
        swallow(chosen.join(" "));
    }
}

fn one_changed_word_can_be_read() {
    let words: Vec<&str> = SAMPLE.split_whitespace().collect();
    let mut numbers = Numbers::new(3);
    for _ in 0..2000 {
        let mut changed = words.clone();
        let position = numbers.below(changed.len());
        match numbers.below(3) {
            0 => changed[position] = words[numbers.below(words.len())],
            1 => drop(changed.remove(position)),
            _ => changed.insert(position, words[numbers.below(words.len())]),
        }
        swallow(changed.join(" "));
    }
}

fn formula(text: &str) -> String {
    format!("var X : int\ninit {{ X = 0 }}\nunsafe {{ {text} }}\n")
}

/// Nesting works up to the limit, is an error beyond, and never crashes.
fn deep_formulas_are_refused() {
    let deep = [
        |n: usize| format!("{}X = 1{}", "(".repeat(n), ")".repeat(n)),
        |n: usize| format!("{}X = 1", "not ".repeat(n)),
        |n: usize| format!("{}X = 1", "X = 0 => ".repeat(n)),
        |n: usize| format!("{}X = 1", "if X = 0 then X = 1 else ".repeat(n)),
        |n: usize| format!("{}X = 1", "forall x. ".repeat(n)),
    ];
    for make in deep {
        let file = |n: usize| SourceFile::new("test.cub", formula(&make(n)));
        assert_eq!(cubicle::parse(&file(190)).1, [], "{}", make(2));
        swallow(formula(&make(190)));
        let (_, diagnostics) = cubicle::parse(&file(100_000));
        assert_eq!(diagnostics.len(), 1, "{}", make(2));
        assert!(diagnostics[0].message.contains("nested"), "{}", diagnostics[0].message);
        swallow(formula(&make(100_000)));
    }
    // Long is not deep.
    swallow(formula(&format!("{}X = 1", "X = 2 && ".repeat(20_000))));
    swallow(formula(&format!("{}X = 1", "X = 2 || ".repeat(20_000))));
    swallow(format!("{}{}", "(*".repeat(100_000), "*)".repeat(100_000)));
}

/// Predicates that double with each use would exhaust memory.
fn predicates_cannot_explode() {
    let mut text = "var X : int\npredicate p0() { X = 0 }\n".to_owned();
    for n in 1..100 {
        text += &format!("predicate p{n}() {{ p{m}() && p{m}() }}\n", m = n - 1);
    }
    swallow(format!("{text}init {{ X = 0 }}\nunsafe {{ p99() }}\n"));
}

fn instances_that_are_too_large_are_refused() {
    let text =
        "array A[proc, proc, proc] : bool\ninit (x y z) { A[x, y, z] = False }\nunsafe (x) { A[x, x, x] = True }\n";
    let (program, _) = cubicle::parse(&SourceFile::new("test.cub", text));
    let (model, _) = cubicle::check(&program);
    for processes in [1000, 2_000_000, u32::MAX] {
        let options = CompileOptions {
            processes,
            ..CompileOptions::default()
        };
        let (instance, diagnostics) = cubicle::compile(&model, &options);
        assert_eq!(diagnostics.len(), 1);
        assert!(instance.slots.is_empty());
    }
}

testing::tests!(
    every_prefix_can_be_read,
    files_of_the_corpus_can_be_cut_anywhere,
    words_in_any_order_can_be_read,
    one_changed_word_can_be_read,
    deep_formulas_are_refused,
    predicates_cannot_explode,
    instances_that_are_too_large_are_refused,
);
