//! Pointers that are inputs may point at objects of their own, where that is asked for.

#![allow(clippy::unwrap_used, clippy::panic)]

use interpret::search::{SearchOptions, search, search_near};
use interpret::{End, Executable, FixedInputs, MemoryOrigin, RunLimits, SearchPlan, UndefinedMode, Uninitialized};
use system::program::{LocationId, ProcedureId, Step, Undefined};

const PROGRAM: &str = "\
void reach_error(void);
struct device { int state; struct device *next; } *find(void);
int main(void) {
  struct device *device = find();
  if (device->next->state == 7) reach_error();
  return 0;
}
";

fn options(has_objects: bool) -> SearchOptions {
    SearchOptions {
        limits: RunLimits {
            uninitialised: Uninitialized::Input,
            steps: 1_000,
            ..RunLimits::default()
        },
        runs: 1_000,
        has_objects,
        ..SearchOptions::default()
    }
}

#[test]
fn what_pointers_from_outside_lead_to_is_an_input() {
    let unit = read(PROGRAM);
    let executable = Executable::new(&unit.program);
    let without = search(&executable, &options(false), &|| false);
    assert!(without.violation.is_none());
    let with = search(&executable, &options(true), &|| false);
    let found = with.violation.unwrap();
    assert_eq!(found.inputs, [-1, -1, 7]);
    let again = executable.run(&mut FixedInputs::new(found.inputs), &options(true).limits);
    assert!(matches!(again.end, End::Violated(_)), "{again:?}");
    assert_eq!(again.outside, 2);
}

fn read(text: &str) -> c::Unit {
    let sources = c::preprocess::preprocessed("a.i", text, None);
    c::read(&sources, &c::Options::new(c::DataModel::Lp64)).unwrap()
}

fn limits(undefined: UndefinedMode) -> RunLimits {
    RunLimits {
        undefined,
        fixed_memory: true,
        ..options(true).limits
    }
}

/// In memory as in variables, whether numbers wrap around or not.
#[test]
fn memory_that_nobody_wrote_to_is_an_input() {
    let unit = read(
        "void reach_error(void); struct s { int a; struct s *next; };
         int main(void) { struct s s; s.next->a = 4; if (s.a == 7 && s.next->a == 4) reach_error(); return 0; }",
    );
    let executable = Executable::new(&unit.program);
    for undefined in [UndefinedMode::Report, UndefinedMode::Wrap] {
        let outcome = executable.run(&mut FixedInputs::new(vec![-1, 7]), &limits(undefined));
        assert!(matches!(outcome.end, End::Violated(_)), "{outcome:?}");
        assert_eq!(outcome.inputs, [-1, 7]);
        let outcome = executable.run(&mut FixedInputs::new(vec![0, 7]), &limits(undefined));
        assert_eq!(outcome.end, End::Undefined(Undefined::NullPointer));
    }
}

/// Bytes that were written stay, and a copy is no other input.
#[test]
fn an_input_changes_nothing_that_is_known() {
    let programs = [
        ("int x; ((char *)&x)[2] = 5; return x;", vec![0x0101_0101], 1),
        (
            "int x; ((char *)&x)[2] = 5; return (x >> 16) & 255;",
            vec![0x0101_0101],
            5,
        ),
        ("struct { int a, b; } s, t; t = s; return s.a + t.a;", vec![3, 4], 0),
        ("char a, b; b = a; return a + b;", vec![3, 4], 6),
        ("char a[3]; char b; b = a[1]; return a[1] + b;", vec![3, 4], 6),
    ];
    for (body, inputs, expected) in programs {
        let unit = read(&format!("int main(void) {{ {body} }}"));
        let executable = Executable::new(&unit.program);
        for undefined in [UndefinedMode::Report, UndefinedMode::Wrap] {
            let outcome = executable.run(&mut FixedInputs::new(inputs.clone()), &limits(undefined));
            assert_eq!(outcome.end, End::Exited(expected), "{body} {undefined:?}");
        }
    }
}

#[test]
fn memory_at_an_address_in_the_text_is_there_where_it_is_asked_for() {
    let unit = read(
        "char *stub(void) { return (char *)1; }
         int main(void) { int *p = (int *)stub(), *q = (int *)0x3001; char *null = (char *)0; *p = 3; q[-1024]++;
           if (p[0] != 3 || (long)p != 1 || p == q) null[8] = 1; return p[1]; }",
    );
    let executable = Executable::new(&unit.program);
    let with = executable.run(&mut FixedInputs::new(vec![40, 12]), &limits(UndefinedMode::Report));
    // Before an object at a fixed address there is nothing.
    assert_eq!(with.end, End::Undefined(Undefined::OutOfBounds));
    assert_eq!(with.fixed, [1]);
    let without = RunLimits {
        fixed_memory: false,
        ..limits(UndefinedMode::Report)
    };
    let without = executable.run(&mut FixedInputs::new(vec![40, 12]), &without);
    assert_eq!(without.end, End::Undefined(Undefined::NullPointer));
    assert!(without.fixed.is_empty());
    let unit = read(
        "int main(void) { int *p = (int *)0x1000, *q = (int *)0x1004; *q = 9; p[0]++;
           if (*(int *)(0x1000 + 4) != 9 || q - p != 1 || !(p < q)) return 99; return p[0]; }",
    );
    let executable = Executable::new(&unit.program);
    let outcome = executable.run(&mut FixedInputs::new(vec![40]), &limits(UndefinedMode::Report));
    assert_eq!((outcome.end, outcome.fixed), (End::Exited(41), vec![0x1000]));
}

/// In a logical memory model only, as far as it goes, and without a way from one object into another.
#[test]
fn memory_behind_an_object_is_there_where_it_is_asked_for() {
    let unit = read(
        "int g[2], h[2]; int main(void) { int *p = g + 2; long n = (long)(g + 7); *p = 30; *(int *)n = 4;
           if (h[0] || h[1] || g[7] != 4 || n - (long)g != 28) return 99; return p[0] + p[1]; }",
    );
    let executable = Executable::new(&unit.program);
    for undefined in [UndefinedMode::Report, UndefinedMode::Wrap] {
        let with = RunLimits {
            memory_behind: true,
            ..limits(undefined)
        };
        let outcome = executable.run(&mut FixedInputs::new(vec![12]), &with);
        assert_eq!(outcome.end, End::Exited(42), "{outcome:?}");
        assert_eq!(outcome.inputs, [12]);
        let [MemoryOrigin::Variable(variable)] = outcome.behind[..] else {
            panic!("{:?}", outcome.behind);
        };
        assert_eq!(unit.program[variable].name, "g");
        let without = executable.run(&mut FixedInputs::new(vec![12]), &limits(undefined));
        assert_eq!(without.end, End::Undefined(Undefined::OutOfBounds));
        assert!(without.behind.is_empty());
        for (place, is_there) in [("4095", true), ("4096", false), ("-13", false)] {
            let unit = read(&format!(
                "char a[12]; int main(void) {{ char *p = a + 12; p[{place}] = 1; return 0; }}"
            ));
            let outcome = Executable::new(&unit.program).run(&mut FixedInputs::new(Vec::new()), &with);
            let expected = match is_there {
                true => End::Exited(0),
                false => End::Undefined(Undefined::OutOfBounds),
            };
            assert_eq!(
                (outcome.end, !outcome.behind.is_empty()),
                (expected, is_there),
                "{place}"
            );
        }
    }
}

/// A number that only the plan has, and one that the plan has wrong.
#[test]
fn a_plan_is_mended_where_it_leads_nowhere() {
    let unit = read(
        "void reach_error(void); int nondet(void); struct s { int code; } *find(void);
         int main(void) { int x = nondet(); struct s *s = find();
           if (3 * x == 370368) { if (s->code == 4) return 1; if (s->code == 900) reach_error(); } return 0; }",
    );
    let executable = Executable::new(&unit.program);
    let main = unit
        .program
        .procedures
        .iter()
        .position(|procedure| procedure.name == "main");
    let main = ProcedureId(u32::try_from(main.unwrap()).unwrap());
    let automaton = unit.program[main].body.automaton().unwrap();
    let mut values = Vec::new();
    let mut branches = Vec::new();
    for (location, number) in automaton.locations.iter().zip(0..) {
        let place = (main, LocationId(number));
        match location.edges.as_slice() {
            [edge] if matches!(edge.step, Step::Call { .. }) && values.is_empty() => values.push((place, 123_456)),
            [first, _] => {
                let Step::Assume { holds, .. } = first.step else {
                    continue;
                };
                branches.push((place, usize::from(holds == (branches.len() == 1))));
            }
            _ => {}
        }
    }
    assert_eq!((values.len(), branches.len()), (1, 3));
    let plain = search(&executable, &options(true), &|| false);
    assert!(plain.violation.is_none());
    let plan = SearchPlan::new(branches, values);
    let near = search_near(&executable, &plan, &options(true), &|| false);
    let found = near.violation.unwrap();
    assert_eq!(found.inputs, [123_456, -1, 900]);
}
