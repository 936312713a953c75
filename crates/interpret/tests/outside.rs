//! Pointers that are inputs may point at objects of their own, where that is asked for.

#![allow(clippy::unwrap_used)]

use interpret::search::{Options, search};
use interpret::{End, Executable, Given, Limits, Uninitialised};

const PROGRAM: &str = "\
void reach_error(void);
struct device { int state; struct device *next; } *find(void);
int main(void) {
  struct device *device = find();
  if (device->next->state == 7) reach_error();
  return 0;
}
";

fn options(has_objects: bool) -> Options {
    Options {
        limits: Limits {
            uninitialised: Uninitialised::Input,
            steps: 1_000,
            ..Limits::default()
        },
        runs: 1_000,
        has_objects,
        ..Options::default()
    }
}

#[test]
fn what_pointers_from_outside_lead_to_is_an_input() {
    let sources = c::preprocess::preprocessed("a.i", PROGRAM, None);
    let unit = c::read(&sources, &c::Options::new(c::DataModel::Lp64)).unwrap();
    let executable = Executable::new(&unit.program);
    let without = search(&executable, &options(false), &|| false);
    assert!(without.violation.is_none());
    let with = search(&executable, &options(true), &|| false);
    let found = with.violation.unwrap();
    assert_eq!(found.inputs, [-1, -1, 7]);
    let again = executable.run(&mut Given::new(found.inputs), &options(true).limits);
    assert!(matches!(again.end, End::Violated(_)), "{again:?}");
    assert_eq!(again.outside, 2);
}
