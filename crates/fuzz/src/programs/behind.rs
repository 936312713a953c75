//! Programs with one family of [`shapes`](super::shapes) behind a guard that only a solver passes.
//!
//! The secret inputs are drawn first, and determine the guard. A guard has a unique solution, since its coefficients
//! have an odd determinant: gcc's runs on the secret and on all small inputs therefore cover everything behind it.

use super::draw::{CHECK, DrawnProgram, Input, PRELUDE};
use super::shapes::{Family, Shape, shape};
use crate::random::Dice;
use std::fmt::Write as _;

/// A program of a family.
pub(super) fn draw(mut dice: Dice, family: Family) -> DrawnProgram {
    let dice = &mut dice;
    let keys = [secret(dice), secret(dice)];
    let shapes: Vec<Shape> = (0..1 + dice.roll(2))
        .map(|number| shape(dice, family, number))
        .collect();
    let (mut globals, mut given, mut checked) = (String::new(), String::new(), Vec::new());
    for shape in &shapes {
        globals.push_str(&shape.globals);
        checked.extend(shape.observed.iter().cloned());
    }
    let mut inputs = Vec::new();
    let count = *dice.pick(&[2u32, 4]);
    inputs.push(Input::below(count));
    given.push_str(&match dice.roll(2) {
        0 => format!("  unsigned char x0 = __VERIFIER_nondet_uchar() & {};\n", count - 1),
        _ => format!(
            "  unsigned int x0 = __VERIFIER_nondet_uint();\n  if (x0 > {}) return 0;\n",
            count - 1
        ),
    });
    let names: Vec<String> = shapes.iter().filter_map(|shape| shape.address_input.clone()).collect();
    if !names.is_empty() {
        let allowed: Vec<String> = names
            .iter()
            .map(|name| format!("n != (unsigned long)&{name}"))
            .collect();
        let _ = writeln!(
            given,
            "  unsigned long n = __VERIFIER_nondet_ulong();\n  if (n > 3 && {}) return 0;",
            allowed.join(" && ")
        );
        let mut options: Vec<Input> = vec![Input::below(3)];
        options.extend(names.into_iter().map(Input::Address));
        inputs.push(Input::Any(options));
    }
    let mut text = format!("{PRELUDE}extern unsigned long __VERIFIER_nondet_ulong(void);\n{globals}");
    let has_arguments = family == Family::Main;
    if family == Family::Deep {
        text.push_str(&deep(dice, &mut checked));
    }
    let main = if has_arguments {
        main_with(dice)
    } else {
        "int main(void) {\n".to_owned()
    };
    text.push_str(&main);
    text.push_str(&guard(dice, keys));
    text.push_str(&given);
    for shape in &shapes {
        text.push_str(&shape.body);
    }
    match family {
        Family::Main => text.push_str(&arguments(dice, &mut checked, &main)),
        Family::Deep => text.push_str(&format!("  o = d({}, 1, &v);\n", depth(dice))),
        _ => {}
    }
    let _ = writeln!(text, "  {CHECK}\n  return 0;\n}}");
    DrawnProgram {
        text,
        keys: keys.to_vec(),
        inputs,
        observed: checked,
        has_arguments,
        is_strange: matches!(family, Family::Numbers | Family::Rebuilt | Family::Before),
    }
}

fn secret(dice: &mut Dice) -> i64 {
    1_000 + dice.roll(900_000) as i64
}

/// Two unknowns with a unique solution, even under wrap-around.
fn guard(dice: &mut Dice, [x, y]: [i64; 2]) -> String {
    let draw = "  int k1 = __VERIFIER_nondet_int(), k2 = __VERIFIER_nondet_int();\n";
    if dice.chance(10) {
        // Without a guard.
        return format!("  __VERIFIER_nondet_int(); __VERIFIER_nondet_int();\n  int k1 = {x}, k2 = {y};\n");
    }
    let (a, b, c, d) = loop {
        // No literal may be a useful input to try: no coefficient is zero.
        let mut roll = || *dice.pick(&[-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]);
        let (a, b, c, d): (i64, i64, i64, i64) = (roll(), roll(), roll(), roll());
        if (a * d - b * c) % 2 != 0 {
            break (a, b, c, d);
        }
    };
    let (first, second) = (a * x + b * y, c * x + d * y);
    let sum = |a: i64, b: i64| format!("{a} * k1 + {b} * k2");
    let guard = match dice.roll(4) {
        0 => format!(
            "  if ({} != {first}) return 0;\n  if ({} != {second}) return 0;\n",
            sum(a, b),
            sum(c, d)
        ),
        1 => format!(
            "  if (k1 + k2 != {} || (unsigned)k1 - 2 * (unsigned)k2 != {}u) return 0;\n",
            x + y,
            (x - 2 * y) as u32
        ),
        2 => format!(
            "  if (k1 < 0 || k1 > 999999 || k2 < 0 || k2 > 999999) return 0;\n  if (!({} == {first} && {} == {second})) \
             return 0;\n",
            sum(a, b),
            sum(c, d)
        ),
        _ => format!(
            "  if (!({} == {first} && {} == {second})) return 0;\n",
            sum(a, b),
            sum(c, d)
        ),
    };
    format!("{draw}{guard}")
}

fn main_with(dice: &mut Dice) -> String {
    dice.pick(&[
        "int main(int argc, char **argv, char **envp) {\n",
        "int main(int argc, char *argv[], char *envp[]) {\n",
        "int main(int argc, char *argv[]) {\n",
    ])
    .to_string()
}

/// Observes the difference between runs without arguments and with one, and with or without environment.
fn arguments(dice: &mut Dice, observed: &mut Vec<String>, main: &str) -> String {
    let has_environment = main.contains("envp");
    let mut text = String::new();
    if has_environment {
        text.push_str(match dice.roll(3) {
            0 => "  int e = envp[0] != 0;\n",
            1 => "  int e = 0;\n  char **at = envp;\n  if (*at) e = 1;\n",
            _ => "  int e = envp[0] ? 1 + (envp[0][0] != 0) : 0;\n",
        });
        observed.push("e".to_owned());
    }
    if !has_environment || dice.chance(40) {
        text.push_str(match dice.roll(3) {
            0 => "  int c = argc > 1;\n",
            1 => "  int c = 1;\n  if (argc > 1 && argv[1] != 0) c = 2;\n",
            _ => "  int c = argv[argc] == 0;\n  if (argc == 2) c = 5;\n",
        });
        observed.push("c".to_owned());
    }
    text
}

fn depth(dice: &mut Dice) -> String {
    match dice.roll(4) {
        0 => (9 + dice.roll(30)).to_string(),
        1 => format!("{} + (int)x0", 9 + dice.roll(20)),
        2 => "k2 % 40".to_owned(),
        _ => "(k1 > 30 ? 30 : k1)".to_owned(),
    }
}

/// A recursive procedure that exceeds the inlining depth, with a simple contract.
fn deep(dice: &mut Dice, observed: &mut Vec<String>) -> String {
    observed.extend(["o", "f", "v", "w"].map(str::to_owned));
    let base = *dice.pick(&["0", "a", "3"]);
    let effect = *dice.pick(&[
        "f = 1;",
        "w = a;",
        "*p = 5;",
        "f = 7; w = 2;",
        "if (n > 3) f = 4;",
        "if (f < 9) f = f + 1;",
    ]);
    let (before, after) = match dice.chance(50) {
        true => (effect, ""),
        false => ("", effect),
    };
    let result = *dice.pick(&["t", "t", "t > 5 ? 5 : t", "t + 0", "1 - t"]);
    let given = *dice.pick(&["a", "a", "1", "a"]);
    format!(
        "static int o, f, v = 3, w;\nstatic int d(int n, int a, int *p) {{\n  if (n <= 0) return {base};\n  {before}\n  int t \
         = d(n - 1, {given}, p);\n  {after}\n  return {result};\n}}\n"
    )
}
