//! Programs with one construct each, which gcc and the interpreter agree on, go the same way in their systems.
#![allow(clippy::unwrap_used, clippy::panic)]

use analysis::points_to::PointsTo;
use c::{DataModel, Options};
use interpret::{End, Executable, RandomInputs, RunLimits, UndefinedMode, Uninitialized};
use std::path::Path;
use unfold::back::{ReplayOutcome, replay};
use unfold::unfold;

/// How a program goes, and how it goes in its system, for some seeds of its inputs.
fn differences(path: &Path, followed: &mut usize) -> Vec<String> {
    let Ok(unit) = c::read_file(path, &Options::new(DataModel::Lp64)) else {
        return Vec::new();
    };
    let points_to = PointsTo::of(&unit.program);
    let unfolded = unfold(&unit.program, &points_to, &unfold::Options::default(), &|| false).unwrap();
    different(&unit, &unfolded, path, followed)
}

fn different(unit: &c::Unit, unfolded: &unfold::Unfolded, path: &Path, followed: &mut usize) -> Vec<String> {
    // These promise nothing.
    let contracts = unfolded.contracts(&[]).unwrap();
    let executable = Executable::new(&unit.program);
    let limits = RunLimits {
        undefined: UndefinedMode::Wrap,
        uninitialised: Uninitialized::Input,
        steps: 20_000,
        ..RunLimits::default()
    };
    let mut found = Vec::new();
    for seed in 0..5 {
        let outcome = executable.run(&mut RandomInputs::new(seed, Vec::new()), &limits);
        let expected = match outcome.end {
            End::Exited(_) | End::Aborted => ReplayOutcome::Ended,
            End::Violated(property) => ReplayOutcome::Violated(property),
            _ => continue,
        };
        match replay(unfolded, &contracts, &outcome.inputs, 30_000) {
            ReplayOutcome::Prefix(_) => {}
            other if other == expected => *followed += 1,
            other => found.push(format!(
                "{}: {:?}, in its system {other:?}",
                path.display(),
                outcome.end
            )),
        }
    }
    found
}

#[test]
fn programs_go_the_same_way_in_their_systems() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../c/tests/programs");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let mut followed = 0;
    let wrong: Vec<String> = paths.iter().flat_map(|path| differences(path, &mut followed)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(followed > 100, "only {followed} runs were followed");
}

/// Runs in which procedures call themselves, each call followed from its beginning.
const DEEP: [&str; 5] = [
    "int f(int n) { int k = n; if (n <= 0) return 7; int r = f(n - 1); check(k == n); return r + 1; }
     int main(void) { check(f(30) == 37); check(f(2) == 8); return 0; }",
    "int g; void down(int n) { int kept = g; g = g + n; if (n > 0) down(n - 1); check(g >= kept); g = kept; }
     int main(void) { g = nondet() & 3; down(40); check(g >= 0 && g <= 3); return 0; }",
    "int odd(int n); int even(int n) { int m = n; int r = n == 0 ? 1 : odd(n - 1); check(m == n); return r; }
     int odd(int n) { int m = n; int r = n == 0 ? 0 : even(n - 1); check(m == n); return r; }
     int main(void) { int n = nondet() & 31; check(even(n) == (n % 2 == 0)); return 0; }",
    "void add(int n, int *p) { if (n <= 0) return; *p += n; add(n - 1, p); *p -= 1; }
     int main(void) { int x = 0, y = 3; add(12, &x); add(2, &y); check(x == 66 && y == 4); return 0; }",
    "struct s { int a, b; }; int calls; struct s f(struct s x, int n) { calls++; if (n == 0) return x; struct s y = x;
       y.a = x.b; y.b = x.a; if (nondet() & 1) return f(y, n - 1); struct s z = f(y, n - 1); z.a++; return z; }
     int main(void) { struct s x = {1, 2}; x = f(x, 20); check(calls == 21 && x.a + x.b >= 3); return 0; }",
];

#[test]
fn calls_by_contract_go_the_same_way() {
    let prelude = "extern void reach_error(void); extern int nondet(void);
        int __VERIFIER_nondet_int(void);\n#define nondet __VERIFIER_nondet_int
        #define check(c) do { if (!(c)) reach_error(); } while (0)\n";
    let folder = std::env::temp_dir().join(format!("cubist-deep-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let options = unfold::Options {
        by_contracts: true,
        ..unfold::Options::default()
    };
    for (number, program) in DEEP.iter().enumerate() {
        for (what, text) in [
            ("right", (*program).to_owned()),
            ("wrong", program.replacen("check(", "check(!", 1)),
        ] {
            let path = folder.join(format!("{number}-{what}.c"));
            std::fs::write(&path, format!("{prelude}{text}\n")).unwrap();
            let unit = c::read_file(&path, &Options::new(DataModel::Lp64)).unwrap();
            let points_to = PointsTo::of(&unit.program);
            let unfolded = unfold(&unit.program, &points_to, &options, &|| false).unwrap();
            assert!(!unfolded.signatures.is_empty(), "{program}");
            let mut followed = 0;
            let wrong = different(&unit, &unfolded, &path, &mut followed);
            assert!(
                wrong.is_empty() && followed == 5,
                "{followed} of 5 followed: {}",
                wrong.join("\n")
            );
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
