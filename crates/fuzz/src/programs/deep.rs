//! Programs whose recursion exceeds the inlining depth: only contracts prove them.
//!
//! They are small and mostly linear, so that contracts can be found. Their results are determined by running them on
//! all inputs, like those of all programs.

use super::draw::{CHECK, DrawnProgram, GATE, Input, KEY, PRELUDE};
use crate::random::Dice;

/// The globals that procedures may access.
const GLOBALS: [&str; 4] = ["g0", "g1", "g2", "ga[1]"];

/// A program.
pub fn draw(mut dice: Dice) -> DrawnProgram {
    let kind = ["int", "unsigned char", "short", "unsigned int"];
    let mut text = format!(
        "{PRELUDE}int g0 = {};\n{} g1;\nlong long g2 = 3;\nint ga[3] = {{1, 2, 3}};\n",
        dice.roll(4),
        dice.pick(&kind)
    );
    let procedures = 1 + dice.roll(3);
    for number in 0..procedures {
        text.push_str(&format!("static int r{number}(int n, int a, int *p);\n"));
    }
    for number in 0..procedures {
        text.push_str(&procedure(&mut dice, number, procedures));
    }
    text.push_str("int main(void) {\n");
    text.push_str(match dice.chance(50) {
        true => GATE,
        false => "  __VERIFIER_nondet_int(); __VERIFIER_nondet_int();\n",
    });
    text.push_str("  int m0 = 0, m1 = 1;\n");
    text.push_str("  int x0 = __VERIFIER_nondet_int();\n  if (x0 < 0 || x0 > 7) return 0;\n");
    let calls = 1 + dice.roll(3);
    let is_looped = dice.chance(25);
    if is_looped {
        text.push_str(&format!("  for (int i = 0; i < {}; i++) {{\n", 2 + dice.roll(3)));
    }
    for _ in 0..calls {
        let (number, depth) = (dice.roll(procedures), 9 + dice.roll(12));
        let target = dice.pick(&["m0", "m1", "g0", "ga[1]"]).to_string();
        let depth = match dice.roll(3) {
            0 => format!("{depth}"),
            1 => format!("x0 + {depth}"),
            _ => "x0 * 3".to_owned(),
        };
        let given = dice.pick(&["x0", "m0", "0", "g0 & 3"]).to_string();
        let pointer = dice.pick(&["&m1", "&g0", "&ga[1]", "&m0"]).to_string();
        text.push_str(&format!("  {target} = r{number}({depth}, {given}, {pointer});\n"));
        if dice.chance(30) {
            text.push_str(&format!("  if (x0 > {}) m1 = m0;\n", dice.roll(6)));
        }
    }
    if is_looped {
        text.push_str("  }\n");
    }
    text.push_str(&format!("  {CHECK}\n  return 0;\n}}\n"));
    DrawnProgram {
        text,
        keys: KEY.to_vec(),
        inputs: vec![Input::below(8)],
        observed: ["m0", "m1", "g0", "g1", "g2", "ga[1]", "ga[2]"]
            .map(str::to_owned)
            .to_vec(),
        has_arguments: false,
        is_strange: false,
    }
}

/// The parameter decreases with each call, whichever procedure is called next.
fn procedure(dice: &mut Dice, number: usize, procedures: usize) -> String {
    let mut text = format!("static int r{number}(int n, int a, int *p) {{\n");
    if dice.chance(40) {
        text.push_str(&effect(dice));
    }
    let last = dice.pick(&["0", "a", "g0", "1", "a & 1", "*p"]).to_string();
    text.push_str(&format!("  if (n <= 0) return {last};\n"));
    for _ in 0..dice.roll(3) {
        text.push_str(&effect(dice));
    }
    let callee = if dice.chance(60) { number } else { dice.roll(procedures) };
    let given = dice
        .pick(&["a", "a", "n", "0", "a ^ 1", "(a + 1) & 7", "g0"])
        .to_string();
    let less = 1 + dice.roll(2);
    text.push_str(&format!("  int t = r{callee}(n - {less}, {given}, p);\n"));
    if dice.chance(15) {
        text.push_str(&format!("  if (n < 6) t = r{number}(n - 3, t & 3, &ga[2]);\n"));
    }
    for _ in 0..dice.roll(3) {
        text.push_str(&effect(dice));
    }
    let result = dice
        .pick(&["t", "t", "t + 1", "a", "t > 3 ? 3 : t + 1", "1 - t", "t & 7", "n"])
        .to_string();
    text.push_str(&format!("  return {result};\n}}\n"));
    text
}

fn effect(dice: &mut Dice) -> String {
    let place = dice.pick(&GLOBALS).to_string();
    let value = dice
        .pick(&[
            "0",
            "a",
            "n",
            "1",
            "g0",
            "g1",
            "(g0 + 1) & 3",
            "5 - g0",
            "g2",
            "ga[1] & 15",
        ])
        .to_string();
    match dice.roll(6) {
        0 => format!("  if (n > {}) {place} = {value};\n", dice.roll(8)),
        1 => "  *p = n;\n".to_owned(),
        2 => "  if (*p < 40) *p += 1;\n".to_owned(),
        3 => "  if (g0 == 3) g0 = 0; else g0 = 3;\n".to_owned(),
        4 => "  for (int i = 0; i < 3; i++) g1 = i;\n".to_owned(),
        _ => format!("  {place} = {value};\n"),
    }
}
