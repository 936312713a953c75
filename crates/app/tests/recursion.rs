//! C programs whose procedures call themselves: proved by contracts, and refuted. They need a C compiler.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist};
use testing::{Outcome, tool};

/// What every program below begins with.
const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void); extern void exit(int);
#define check(c) do { if (!(c)) reach_error(); } while (0)\n";

/// A name, a program that is safe, and a change that makes it unsafe. Each goes deeper than calls are inlined.
const PAIRS: [(&str, &str, (&str, &str)); 16] = [
    (
        "a result that grows with the depth",
        "int count(int n) { if (n <= 0) return 0; return count(n - 1) + 1; }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) return 0; check(count(n) == n); }",
        ("count(n) == n", "count(n) < 20"),
    ),
    (
        "a result in arithmetic",
        "int fib(int n) { if (n < 1) return 0; if (n == 1) return 1; return fib(n - 1) + fib(n - 2); }
         int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0 || x > 20) return 0; check(fib(x) >= x - 1); }",
        ("fib(x) >= x - 1", "fib(x) >= x"),
    ),
    (
        "a call in the argument of a call",
        "int f(int x) { if (x > 100) return x - 10; return f(f(x + 11)); }
         int main(void) { int x = __VERIFIER_nondet_int(); int r = f(x); check(r == 91 || (x > 101 && r == x - 10)); }",
        ("x > 101", "x > 102"),
    ),
    (
        "three calls",
        "int a(int m, int n) { if (m == 0) return n + 1; if (n == 0) return a(m - 1, 1);
           return a(m - 1, a(m, n - 1)); }
         int main(void) { int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
           if (m < 0 || m > 2 || n < 0 || n > 3) return 0; check(a(m, n) >= n + 1); }",
        (">= n + 1", "> n + 1"),
    ),
    (
        "two procedures that call each other",
        "int odd(int n); int even(int n) { if (n == 0) return 1; return odd(n - 1); }
         int odd(int n) { if (n == 0) return 0; return even(n - 1); }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 500) return 0; int r = even(n);
           check(r == 0 || r == 1); }",
        ("r == 0 || r == 1", "r == 1"),
    ),
    (
        "a global variable that is given back",
        "int depth; void down(int n) { depth++; if (n > 0) down(n - 1); depth--; }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n > 1000) return 0; down(n); check(depth == 0); }",
        ("depth--", "depth -= 2"),
    ),
    (
        "a violation inside",
        "int held; void work(int n) { check(!held); held = 1; int more = __VERIFIER_nondet_int() && n < 100; held = 0;
           if (more) work(n + 1); check(!held); }
         int main(void) { work(0); check(!held); }",
        ("held = 0;", "if (n != 12) held = 0;"),
    ),
    (
        "recursion in a loop",
        "int rest(int n) { if (n < 3) return n; return rest(n - 3); }
         int main(void) { int sum = 0; for (int i = 0; i < 50; i++) { int n = __VERIFIER_nondet_int();
           if (n < 0) continue; sum = rest(n); check(sum >= 0 && sum <= 2); } return 0; }",
        ("sum <= 2", "sum <= 1"),
    ),
    (
        "a loop in recursion",
        "int total(int n) { if (n <= 0) return 0; int i = 0; while (i < n) i++; return i == n ? total(n - 1) : 7; }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n > 100) return 0; check(total(n) == 0); }",
        ("i == n", "i < n || n != 30"),
    ),
    (
        "called from several places",
        "int calls; int down(int n) { calls++; if (n <= 0) return 0; return down(n - 1); }
         int twice(int n) { return down(n) + down(n + 1); }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 10 || n > 20) return 0; calls = 0;
           int r = down(n) + twice(n); check(r == 0 && calls > 3); }",
        ("calls > 3", "calls > 40"),
    ),
    (
        "a variable of the caller behind a pointer",
        "void add(int n, int *p) { if (n <= 0) return; *p = *p + 1; add(n - 1, p); }
         int main(void) { int n = __VERIFIER_nondet_int(), x = 0, y = 5; if (n < 0 || n > 100) return 0;
           add(n, &x); check(x == n && y == 5); }",
        ("x == n", "x < 15"),
    ),
    (
        "the greatest common divisor",
        "int gcd(int a, int b) { if (a == b) return a; if (a > b) return gcd(a - b, b); return gcd(a, b - a); }
         int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
           if (a <= 0 || b <= 0 || a > 300 || b > 300) return 0; int g = gcd(a, b); check(g >= 1 && g <= a && g <= b); }",
        ("g <= a && g <= b", "g < a || a < 12"),
    ),
    (
        "a record by value",
        "struct pair { int a, b; }; struct pair swap(struct pair p, int n) { if (n <= 0) return p;
           struct pair q; q.a = p.b; q.b = p.a; return swap(q, n - 1); }
         int main(void) { struct pair p; p.a = 3; p.b = 4; int n = __VERIFIER_nondet_int();
           struct pair q = swap(p, n > 100 ? 100 : n); check(q.a + q.b == 7); }",
        ("q.a + q.b == 7", "q.a == 3 || n < 11"),
    ),
    (
        "a pointer to a procedure that calls itself",
        "int up(int n) { if (n >= 50) return n; return up(n + 1); } int zero(int n) { return 50; }
         int main(void) { int (*f)(int) = __VERIFIER_nondet_int() ? up : zero; int n = __VERIFIER_nondet_int();
           if (n > 50 || n < 0) return 0; check(f(n) == 50); }",
        ("f(n) == 50", "f(n) == 50 && n > 10"),
    ),
    (
        "a run that ends far inside",
        "int left = 30; void use(int n) { if (left == 0) exit(0); left--; use(n); check(0); }
         int main(void) { use(__VERIFIER_nondet_int()); check(0); }",
        ("use(n); check(0);", "if (n != left) use(n); check(0);"),
    ),
    (
        "the moves of a tower",
        "int moves; void hanoi(int n) { if (n <= 0) return; hanoi(n - 1); moves = 1; hanoi(n - 1); }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 14) return 0; moves = 0; hanoi(n);
           check(moves == (n > 0)); }",
        ("moves == (n > 0)", "moves == (n > 2)"),
    ),
];

/// Those whose contracts are found within seconds. The others get little time: of them only a wrong
/// verdict is a mistake.
const PROVED: [usize; 12] = [0, 2, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15];

fn check(file: &str) -> (Option<i32>, serde_json::Value) {
    check_with(file, "120s", &[])
}

/// Where time is out before there is anything to say, there is no report.
fn check_with(file: &str, time: &str, more: &[&str]) -> (Option<i32>, serde_json::Value) {
    let run = cubist(&[&["check", file, "--json", "--timeout", time], more].concat());
    (run.status, serde_json::from_str(&run.stdout).unwrap_or_default())
}

fn deep_programs_are_proved_and_their_bugs_found() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("recursion");
    let mut wrong = Vec::new();
    for (number, (name, program, (from, to))) in PAIRS.iter().enumerate() {
        assert!(program.contains(from), "{name}");
        let safe = folder.write(&format!("{number}-safe.c"), format!("{PRELUDE}{program}\n"));
        let certificate = folder.path("safe.smt2");
        let time = if PROVED.contains(&number) { "120s" } else { "5s" };
        let (_, report) = check_with(&safe, time, &["--certificate", &certificate]);
        let contracts = report["contracts"].as_array().map_or(0, Vec::len);
        match report["verdict"].as_str() {
            Some("safe") if contracts == 0 && !is_deeper(&certificate) => {
                wrong.push(format!("{name}: proved without contracts"));
            }
            Some("safe") if cubist(&["validate", &certificate, "--model", &safe]).status != Some(0) => {
                wrong.push(format!("{name}: the certificate is not confirmed"));
            }
            Some("unsafe") => wrong.push(format!("{name}: unsafe")),
            Some("safe") => {}
            _ if PROVED.contains(&number) => wrong.push(format!("{name}: {}", report["reason"])),
            _ => {}
        }
        let text = format!("{PRELUDE}{}\n", program.replacen(from, to, 1));
        let spoilt = folder.write(&format!("{number}-unsafe.c"), text);
        let (_, report) = check(&spoilt);
        if report["verdict"] != "unsafe" || report["gcc"]["is_reached"] != true {
            wrong.push(format!("{name}, spoilt: {}, {}", report["verdict"], report["reason"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Whether more calls were inlined for a proof than ever.
fn is_deeper(certificate: &str) -> bool {
    let text = std::fs::read_to_string(certificate).unwrap_or_default();
    text.contains("; recursion: 16 calls deep\n") || text.contains("; recursion: 32 calls deep\n")
}

/// Safe programs for which there are no contracts, but which do not go much deeper than calls are inlined at
/// first; and a change that makes each unsafe.
const BOUNDED: [(&str, &str, (&str, &str)); 2] = [
    (
        "addresses of variables",
        "void up(int *p, int n) { int own = *p + 1; if (n > 0) up(&own, n - 1); *p = own; }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 14) return 0; int x = 0; up(&x, n);
           check(x == n + 1); }",
        ("x == n + 1", "x <= 13"),
    ),
    (
        "a list that is made",
        "extern void *malloc(unsigned long); struct node { struct node *next; int value; };
         struct node *list(int n) { if (n <= 0) return 0; struct node *made = malloc(sizeof *made); if (!made) exit(1);
           made->value = n; made->next = list(n - 1); return made; }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 12) return 0; struct node *all = list(n);
           check(!all || all->value == n); }",
        ("all->value == n", "all->value < 12"),
    ),
];

fn bounded_recursion_is_put_in_place() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("bounded-recursion");
    for (name, program, (from, to)) in BOUNDED {
        let file = folder.write("program.c", format!("{PRELUDE}{program}\n"));
        let certificate = folder.path("program.smt2");
        let (_, report) = check_with(&file, "120s", &["--certificate", &certificate]);
        assert!(
            report["verdict"] == "safe" && is_deeper(&certificate),
            "{name}: {report}"
        );
        let run = cubist(&["validate", &certificate, "--model", &file]);
        assert_eq!(run.status, Some(0), "{name}: {run:?}");
        // A certificate for fewer calls, or for more, is about another system.
        let text = std::fs::read_to_string(&certificate).unwrap();
        for calls in ["8", "17", "31", "4000000000", "-1", ""] {
            let forged = text.replace("recursion: 16 calls", &format!("recursion: {calls} calls"));
            let forged = forged.replace("recursion: 32 calls", &format!("recursion: {calls} calls"));
            let path = folder.write("forged.smt2", sealed(&forged));
            let run = cubist(&["validate", &path, "--model", &file]);
            assert_eq!(run.status, Some(10), "{name}, {calls} calls: {run:?}");
        }
        let spoilt = folder.write("spoilt.c", format!("{PRELUDE}{}\n", program.replacen(from, to, 1)));
        let (_, report) = check(&spoilt);
        assert!(
            report["verdict"] == "unsafe" && report["gcc"]["is_reached"] == true,
            "{name}: {report}"
        );
    }
    Ok(())
}

/// Contracts are shown, with the names of their procedures.
fn contracts_are_said() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("contracts-said");
    let (_, program, _) = PAIRS[0];
    let file = folder.write("count.c", format!("{PRELUDE}{program}\n"));
    let run = cubist(&["check", &file]);
    assert_eq!(run.status, Some(0), "{run:?}");
    for expected in ["\nContracts\n- count: ", "old(n)", "cvc5 confirms"] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
    // Where a contract says nothing, text and page have words for that.
    let program = "int f(int n) { if (n <= 0) return 0; return f(n - 1); }
        int main(void) { int x = 1; f(1000); check(x == 1); }";
    let file = folder.write("nothing.c", format!("{PRELUDE}{program}\n"));
    let page = folder.path("nothing.html");
    let run = cubist(&["check", &file, "--report", &page]);
    assert!(run.stdout.contains("- f: nothing is needed of it\n"), "{run:?}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("f: nothing is needed of it<"), "{page}");
    Ok(())
}

/// Where there can be no contract, the reason is said; what is not deep is proved as ever.
fn what_has_no_contract_is_said() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("no-contract");
    for (name, program, expected) in [
        (
            "address",
            "int f(int n, int *p) { int x = 0; if (n <= 0) return *p; return f(n - 1, n % 2 ? &x : p); }
             int main(void) { int y = 0; int n = __VERIFIER_nondet_int(); check(f(n, &y) == 0); }",
            "the address of `x` in `f` is taken",
        ),
        (
            "allocates",
            "extern void *malloc(unsigned long); int f(int n) { int *p = malloc(4); *p = n; if (n <= 0) return 0;
               return f(n - 1) * (*p >= 0); }
             int main(void) { int n = __VERIFIER_nondet_int(); check(f(n) == 0); }",
            "allocates memory",
        ),
    ] {
        let file = folder.write(&format!("{name}.c"), format!("{PRELUDE}{program}\n"));
        let (status, report) = check(&file);
        let reason = report["reason"].as_str().unwrap_or_default();
        assert!(status == Some(20) && reason.contains(expected), "{name}: {report}");
    }
    let shallow = "int f(int n, int *p) { int x = 0; if (n <= 0) return *p; return f(n - 1, n % 2 ? &x : p); }
        int main(void) { int y = 0; int n = __VERIFIER_nondet_int() & 3; check(f(n, &y) == 0); }";
    let file = folder.write("shallow.c", format!("{PRELUDE}{shallow}\n"));
    let (status, report) = check(&file);
    assert_eq!(status, Some(0), "{report}");
    Ok(())
}

/// With the digest that fits.
fn sealed(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("; sha256:"));
    let digest = validate::sha256(lines.map(|line| format!("{line}\n")).collect::<String>().as_bytes());
    let line = |line: &str| match line.starts_with("; sha256:") {
        true => format!("; sha256: {digest}\n"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Another header, or another contract than the system was made with.
fn a_certificate_with_a_changed_contract_is_refused() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("forged-contract");
    let (_, program, _) = PAIRS[0];
    let file = folder.write("count.c", format!("{PRELUDE}{program}\n"));
    let certificate = folder.path("count.smt2");
    assert_eq!(cubist(&["check", &file, "--certificate", &certificate]).status, Some(0));
    let text = std::fs::read_to_string(&certificate).unwrap();
    let definitions: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("(define-fun |fact-") || line.starts_with("(define-fun fact-"))
        .collect();
    assert!(!definitions.is_empty(), "{text}");
    let mut forgeries = vec![("the header", text.replace("; recursion: by contracts\n", ""))];
    for definition in definitions {
        for value in ["true", "false"] {
            let (head, _) = definition.split_once(" () Bool ").unwrap();
            forgeries.push((
                "a fact",
                text.replacen(definition, &format!("{head} () Bool {value})"), 1),
            ));
        }
    }
    for (what, forged) in forgeries {
        assert_ne!(forged, text, "{what}");
        let path = folder.write("forged.smt2", sealed(&forged));
        let run = cubist(&["validate", &path, "--model", &file]);
        assert_eq!(run.status, Some(10), "{what}: {run:?}");
    }
    Ok(())
}

/// Certificates that are made to fit a wrong contract, as nobody could tell from their text, are not confirmed.
fn wrong_contracts_are_not_confirmed() -> Outcome {
    tool("gcc", "--version")?;
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
        int f(int n) { if (n <= 0) return 0; return f(n - 1) + 1; }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n > 100) return 0; if (f(n) == 50) reach_error(); }";
    let sources = system::Sources::new(system::SourceFile::new("f.i", text.to_owned()));
    let unit = c::read(&sources, &c::Options::new(c::DataModel::Lp64)).unwrap();
    let points_to = analysis::points_to::PointsTo::of(&unit.program);
    let options = unfold::Options {
        by_contracts: true,
        ..unfold::Options::default()
    };
    let unfolded = unfold::unfold(&unit.program, &points_to, &options, &|| false).unwrap();
    let [signature] = unfolded.signatures.as_slice() else {
        panic!()
    };
    let (n, old) = (signature.given[0].apply([]), signature.returned[0].apply([]));
    let result = signature.returned[1].apply([]);
    let int = logic::term::int;
    let requires = [
        None,
        Some(logic::term::bool(false)),
        Some(logic::term::less_equal(n, int(0))),
        Some(logic::term::less_equal(n, int(49))),
        Some(logic::term::less_equal(n, int(100))),
    ];
    let ensures = [
        None,
        Some(logic::term::bool(false)),
        Some(logic::term::equal(result, int(0))),
        Some(logic::term::less(result, int(50))),
        Some(logic::term::equal(result, old)),
        Some(logic::term::not(logic::term::equal(result, int(50)))),
        Some(logic::term::less(old, int(50))),
    ];
    let mut tried = 0;
    for (first, second) in requires
        .iter()
        .flat_map(|first| ensures.iter().map(move |second| (first, second)))
    {
        for called in [None, Some(logic::term::bool(false))] {
            let mut stated = vec![(signature.entry, *first), (signature.exit, *second)];
            stated.extend(unfolded.calls.iter().map(|call| (call.at, called)));
            assert!(!is_confirmed(&unfolded, &stated), "{stated:?}");
            tried += 1;
        }
    }
    assert_eq!(tried, 70);
    // One that speaks of what it was not given is none.
    let state = unfolded.system.state.iter().map(|symbol| symbol.function);
    let foreign = state.filter(|symbol| !signature.given.contains(symbol) && symbol.result() == logic::Sort::Int);
    for symbol in foreign {
        let facts = facts(
            &unfolded,
            &[(signature.entry, Some(logic::term::equal(symbol.apply([]), int(0))))],
        );
        assert!(unfolded.contracts(&facts).is_err(), "{}", symbol.name());
    }
    Ok(())
}

/// `location = l -> formula`
fn facts(unfolded: &unfold::Unfolded, stated: &[(usize, Option<logic::Term>)]) -> Vec<system::transition::Fact> {
    let fact = |(at, formula): &(usize, Option<logic::Term>)| {
        Some(system::transition::Fact {
            name: format!("at {at}"),
            formula: logic::term::implies(unfolded.at(unfolded.nodes[*at])?, (*formula)?),
            span: system::Span::default(),
        })
    };
    stated.iter().filter_map(fact).collect()
}

fn is_confirmed(unfolded: &unfold::Unfolded, stated: &[(usize, Option<logic::Term>)]) -> bool {
    let facts = facts(unfolded, stated);
    let system = unfolded.with_contracts(unfolded.system.clone(), &unfolded.contracts(&facts).unwrap());
    let certificate = system::certificate::Certificate {
        properties: system.properties.iter().map(|property| property.name.clone()).collect(),
        facts,
        ..system::certificate::Certificate::default()
    };
    let text = validate::certificate_text(&system, &certificate, &[]).unwrap();
    let solvers = smt::installed_solvers();
    validate::Confirmed::of(text, &solvers, &logic::Cancellation::default(), &mut |_| {}).is_ok()
}

/// The random runs that are held against a proof go through calls, too.
fn runs_are_followed_through_calls() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("followed-calls");
    for number in [0, 4, 12] {
        let (name, program, _) = PAIRS[number];
        // Every input leads to calls.
        let program = program.replace("if (n < 0 || n > 1000) return 0;", "n = n & 63;");
        let program = program.replace("if (n < 0 || n > 500) return 0;", "n = n & 63;");
        let file = folder.write("followed.c", format!("{PRELUDE}{program}\n"));
        let (_, report) = check(&file);
        assert_eq!(
            (&report["verdict"], &report["runs_followed"]),
            (&"safe".into(), &50.into()),
            "{name}: {report}"
        );
    }
    Ok(())
}

testing::tests!(
    deep_programs_are_proved_and_their_bugs_found,
    bounded_recursion_is_put_in_place,
    contracts_are_said,
    what_has_no_contract_is_said,
    a_certificate_with_a_changed_contract_is_refused,
    wrong_contracts_are_not_confirmed,
    runs_are_followed_through_calls,
);
