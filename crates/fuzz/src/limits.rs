//! Limits and kills: `--timeout` and `--memory` are respected in every phase; a run that is killed at a random moment
//! is resumed with the same verdict, and not from a damaged folder; a full or read-only disk causes a clear error and
//! no data loss.

use crate::confirmation::root;
use crate::program::{ProcessResult, cubist, run as run_program, start};
use crate::random::Dice;
use crate::tally::Campaign;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The permitted delay of an answer after `--timeout`.
pub const LATE: Duration = Duration::from_secs(2);
/// The time limit of a run without `--timeout`.
const PATIENCE: Duration = Duration::from_secs(90);

/// Models that keep engines, exploration or the front end busy.
const HARD: [&str; 8] = [
    "flash.m",
    "german.m",
    "aodv.m",
    "gc-fine.m",
    "bounded-retransmission.m",
    "bakery.m",
    "german-fifo.m",
    "alternating-bit-fifo.m",
];
/// Models that are proved in a few seconds.
const KILLED: [&str; 3] = ["mutex-ring.m", "semaphore.m", "dijkstra.m"];
/// C programs that are decided in a second or two, and their verdicts.
const DECIDED: [(&str, &str); 2] = [("uart.c", "safe"), ("uart-bug.c", "unsafe")];
const ENGINES: [&str; 4] = ["", "approximate", "implicit", "strengthening"];

/// The context of all cases.
struct Setting<'r> {
    run: &'r mut Campaign,
    program: PathBuf,
    folder: PathBuf,
    late: Duration,
    /// Paths of models, including generated ones.
    hard: Vec<String>,
}

pub fn run(run: &mut Campaign, late: Duration) {
    let Some(program) = cubist() else {
        run.tell("the program is not built (`make build`): nothing to do");
        return;
    };
    let folder = std::env::temp_dir().join(format!("cubist-limits-{}", std::process::id()));
    if std::fs::create_dir_all(&folder).is_err() {
        return;
    }
    let mut hard: Vec<String> = HARD.iter().map(|name| model(name)).collect();
    hard.retain(|path| Path::new(path).is_file());
    for (name, text) in made() {
        let path = folder.join(name);
        if std::fs::write(&path, text).is_ok() {
            hard.push(path.to_string_lossy().into_owned());
        }
    }
    let mut setting = Setting {
        run,
        program,
        folder,
        late,
        hard,
    };
    for case in setting.run.cases() {
        let mut dice = setting.run.begin(case);
        match case % 5 {
            0 => setting.timeout(&mut dice),
            1 => setting.memory(&mut dice),
            2 => setting.kill_program(&mut dice),
            _ => setting.kill(&mut dice),
        }
    }
    setting.disks();
    let _ = std::fs::remove_dir_all(&setting.folder);
}

fn model(name: &str) -> String {
    root().join("models").join(name).to_string_lossy().into_owned()
}

/// A model to kill, with its options, and its verdict.
fn killed_model(dice: &mut Dice) -> (Vec<String>, &'static str) {
    let model = model(dice.pick::<&str>(&KILLED));
    let options = ["--engine", "approximate", "--ignore-predicates"].map(str::to_owned);
    ([model].into_iter().chain(options).collect(), "safe")
}

/// A C program to kill, with its options, and its verdict.
fn killed_program(dice: &mut Dice) -> (Vec<String>, &'static str) {
    let (name, expected) = *dice.pick(&DECIDED);
    let path = |path: String| root().join(path).to_string_lossy().into_owned();
    let mut arguments = vec![path(format!("programs/{name}"))];
    arguments.extend(["--rule".to_owned(), path("rules/spin-lock.rule".to_owned())]);
    if dice.chance(50) {
        arguments.extend(["--engine", "slam"].map(str::to_owned));
    }
    (arguments, expected)
}

/// Models in which some component is slow to react: nonlinear arithmetic, on which Z3 exceeds its own limits; loops
/// that a front end unrolls; quantifiers with very many instances; very many parameter values.
fn made() -> Vec<(&'static str, String)> {
    let cubes = "var x, y, z: integer;\nstartstate havoc x; havoc y; havoc z; end;\n\
        rule \"step\" x * x * x + y * y * y = z * z * z + 33 & x > 1000 & y > 1000 ==> x := x + y * z; y := z * z; z := x * y; end;\n\
        invariant \"cubes\" x * x * x + y * y * y + z * z * z != 114 | x * y * z < 7;\n";
    let loops = "var x: array [0..30] of 0..9;\nstartstate for i: 0..30 do x[i] := 0; end; end;\n\
        rule \"all\" true ==> for i: 0..30 do for j: 0..30 do for k: 0..30 do\n\
        if x[i] < x[j] & x[k] != x[i] then x[x[i]] := (x[j] + x[k]) % 10; end; end; end; end; end;\n\
        invariant \"small\" x[0] < 9;\n";
    let depth = 7;
    let names: Vec<String> = (0..depth).map(|n| format!("i{n}")).collect();
    let pairs: Vec<String> = names
        .windows(2)
        .map(|pair| format!("r[{}][{}]", pair[0], pair[1]))
        .collect();
    let chain: String = names.iter().map(|name| format!("exists {name}: N do ")).collect();
    let ends = " end".repeat(depth);
    let chains = format!(
        "type N: scalarset(6);\nvar r: array [N] of array [N] of boolean; f: array [N] of N;\n\
        ruleset s: N do startstate for i: N do f[i] := s; for j: N do r[i][j] := false; end; end; end; end;\n\
        ruleset p: N; q: N do rule \"add\" !r[f[p]][f[q]] ==> r[p][f[f[q]]] := true; f[p] := f[f[q]]; end; end;\n\
        invariant \"no chain\" !({chain}{}{ends});\n",
        pairs.join(" & ")
    );
    let wide = "var x: array [0..99] of 0..99;\nstartstate for i: 0..99 do x[i] := 0; end; end;\n\
        ruleset a: 0..99; b: 0..99; c: 0..99 do rule \"move\" x[a] = b & x[b] != c ==> x[c] := a; end; end;\n\
        invariant \"some\" exists i: 0..99 do x[i] = 0 end;\n";
    // Loops that cannot be proved in seconds, and a program whose calls are all inlined.
    let sums = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
        int main(void) { int n = __VERIFIER_nondet_int(), i, sum = 0; if (n < 0 || n > 30000) return 0;\n\
        for (i = 0; i < n; i++) sum += i * i; if (6 * sum != n * (n - 1) * (2 * n - 1)) reach_error(); return 0; }\n";
    let calls: String = (1..14)
        .map(|n| {
            format!(
                "static int f{n}(int x) {{ int r = f{0}(x + 1); while (r > x) r -= f{0}(r); return r; }}\n",
                n - 1
            )
        })
        .collect();
    let calls = format!(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
        static int f0(int x) {{ return x / 2 + 1; }}\n{calls}\
        int main(void) {{ if (f13(__VERIFIER_nondet_int()) == 12345) reach_error(); return 0; }}\n"
    );
    vec![
        ("sums.c", sums.to_owned()),
        ("calls.c", calls),
        ("cubes.m", cubes.to_owned()),
        ("loops.m", loops.to_owned()),
        ("chains.m", chains),
        ("wide.m", wide.to_owned()),
    ]
}

impl Setting<'_> {
    fn failure(&mut self, what: &str, output: &str) {
        self.run
            .failure(&format!("{}.txt", self.run.name()), what, output.as_bytes());
    }

    /// A command on a hard model.
    fn command(&self, dice: &mut Dice) -> Vec<String> {
        let mut arguments = vec![
            ["check", "check", "explore"][dice.roll(3)].to_owned(),
            dice.pick(&self.hard).clone(),
        ];
        let engine: &&str = dice.pick(&ENGINES);
        let is_program = arguments[1].ends_with(".c");
        if arguments[0] == "check" && !engine.is_empty() && !is_program {
            arguments.extend(["--engine".to_owned(), (*engine).to_owned()]);
        }
        arguments
    }

    fn run_program(&self, arguments: &[String]) -> Option<ProcessResult> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        run_program(&self.program, &arguments, PATIENCE).ok()
    }

    fn timeout(&mut self, dice: &mut Dice) {
        let limit = Duration::from_millis(200 + dice.roll(3_000) as u64);
        let mut arguments = self.command(dice);
        arguments.extend(["--timeout".to_owned(), limit.as_secs_f64().to_string()]);
        let over = |finished: &ProcessResult| finished.elapsed.saturating_sub(limit);
        let Some(mut finished) = self.run_program(&arguments) else {
            return;
        };
        self.run.tried += 1;
        // The machine may have been busy.
        if over(&finished) > self.late {
            self.run.add("timeouts tried again", 1);
            finished = self.run_program(&arguments).unwrap_or(finished);
        }
        let kept = over(&finished) <= self.late;
        self.run.add(if kept { "timeouts kept" } else { "timeouts missed" }, 1);
        if !kept || !finished.is_in_order() {
            let (status, seconds) = (finished.status, finished.elapsed.as_secs_f64());
            let what = format!("{}: status {status:?} after {seconds:.1} s", arguments.join(" "));
            self.failure(&what, &finished.output);
        }
    }

    /// Peak memory stays within a tenth above the limit.
    fn memory(&mut self, dice: &mut Dice) {
        let megabytes = 80 + 20 * dice.roll(8) as u64;
        let mut arguments = self.command(dice);
        arguments.extend(["--memory", &megabytes.to_string(), "--timeout", "8"].map(str::to_owned));
        let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let Ok(mut child) = start(&self.program, &texts) else {
            return;
        };
        let started = Instant::now();
        let mut most = 0;
        while matches!(child.try_wait(), Ok(None)) && started.elapsed() < PATIENCE {
            most = most.max(peak(child.id()));
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = child.kill();
        let _ = child.wait();
        self.run.tried += 1;
        let kept = most >> 20 <= megabytes + megabytes / 10;
        self.run.add(
            if kept {
                "memory limits kept"
            } else {
                "memory limits missed"
            },
            1,
        );
        if !kept {
            self.failure(&format!("{}: {} MB taken", arguments.join(" "), most >> 20), "");
        }
    }

    /// Kills the program at a random moment, and resumes it; or damages the folder, which must be rejected.
    fn kill(&mut self, dice: &mut Dice) {
        let (subject, decided) = match dice.chance(40) {
            true => killed_program(dice),
            false => killed_model(dice),
        };
        let kept = self.folder.join("run");
        let (shown, file) = (kept.to_string_lossy().into_owned(), kept.join("learned.json"));
        let arguments = |option: &str| {
            let subject = subject.iter().map(String::as_str);
            let all = ["check"].into_iter().chain(subject).chain([option, &shown]);
            all.map(str::to_owned).collect::<Vec<String>>()
        };
        let first = arguments("--run");
        let first: Vec<&str> = first.iter().map(String::as_str).collect();
        let Ok(mut child) = start(&self.program, &first) else {
            return;
        };
        std::thread::sleep(Duration::from_millis(dice.roll(1_500) as u64));
        let _ = child.kill();
        let _ = child.wait();
        self.run.tried += 1;
        let learned = std::fs::read(&file).unwrap_or_default();
        let mut option = "--resume";
        let mut expected = decided;
        if learned.is_empty() {
            self.run.add("killed before anything was kept", 1);
            option = "--run";
        } else if dice.chance(25) {
            self.run.add("killed, and damaged after that", 1);
            expected = "refused";
            let _ = std::fs::write(&file, &learned[..dice.roll(learned.len())]);
        } else {
            self.run.add("killed after something was kept", 1);
        }
        if let Some(finished) = self.run_program(&arguments(option)) {
            let verdict = finished.verdict().unwrap_or(match finished.status {
                Some(2) => "refused",
                _ => "no verdict",
            });
            if verdict != expected {
                let subject = subject.join(" ");
                let what = format!("{subject}, killed and resumed: {verdict} instead of {expected}");
                self.failure(&what, &finished.output);
            }
        }
        let _ = std::fs::remove_dir_all(&kept);
    }

    /// Kills the check of a program at a random moment and checks again: the verdict is the same, leftovers do no harm,
    /// and no file is half written.
    fn kill_program(&mut self, dice: &mut Dice) {
        let (subject, expected) = killed_program(dice);
        let witness = self.folder.join("report.html");
        let shown = witness.to_string_lossy().into_owned();
        let subject = subject.iter().map(String::as_str);
        let arguments: Vec<&str> = ["check", "--report", &shown].into_iter().chain(subject).collect();
        let Ok(mut child) = start(&self.program, &arguments) else {
            return;
        };
        std::thread::sleep(Duration::from_millis(dice.roll(2_000) as u64));
        let _ = child.kill();
        let _ = child.wait();
        self.run.tried += 1;
        let left = std::fs::read_to_string(&witness).unwrap_or_default();
        let is_whole = left.is_empty() || left.ends_with("</html>\n");
        self.run.add(
            if left.is_empty() {
                "C programs killed"
            } else {
                "C programs killed at the end"
            },
            1,
        );
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        if let Some(finished) = self.run_program(&arguments)
            && (finished.verdict() != Some(expected) || !is_whole)
        {
            let what = format!(
                "{}, killed and checked again: {:?} instead of {expected}",
                arguments.join(" "),
                finished.status
            );
            self.failure(&what, &finished.output);
        }
        let _ = std::fs::remove_file(&witness);
    }

    /// If nothing can be written, there is an error with status 2, and existing files are preserved.
    fn disks(&mut self) {
        let good = model("good-bad.m");
        let mut places = vec![PathBuf::from("/proc/cubist-limits")];
        for kind in ["full", "read-only"] {
            let place = self.folder.join(kind);
            if is_mounted(&place, kind == "full") {
                places.push(place);
            } else {
                self.run.add(&format!("no {kind} disk could be made"), 1);
            }
        }
        for place in &places {
            let (file, folder) = (place.join("certificate.smt2"), place.join("run"));
            let before = std::fs::read(&file).ok();
            for (option, value) in [("--certificate", &file), ("--run", &folder)] {
                let value = value.to_string_lossy().into_owned();
                let arguments = ["check", &good, option, &value].map(str::to_owned);
                let Some(finished) = self.run_program(&arguments) else {
                    continue;
                };
                self.run.tried += 1;
                self.run.add("disks that cannot be written", 1);
                let is_clear = finished.status == Some(2) && finished.output.contains("error");
                if !is_clear || std::fs::read(&file).ok() != before {
                    self.failure(
                        &format!("{option} {value}: status {:?}", finished.status),
                        &finished.output,
                    );
                }
            }
        }
        for place in &places[1..] {
            let _ = std::process::Command::new("umount").arg(place).output();
        }
    }
}

fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or_default() << 10
}

/// Mounts a file system of a few kilobytes with an old certificate, full or read-only; requires the right to mount.
fn is_mounted(place: &Path, full: bool) -> bool {
    let mount = |options: &str| {
        let command = ["-t", "tmpfs", "-o", options, "tmpfs"];
        let output = std::process::Command::new("mount").args(command).arg(place).output();
        output.is_ok_and(|output| output.status.success())
    };
    if std::fs::create_dir_all(place).is_err() || !mount("size=8k") {
        return false;
    }
    let kept = std::fs::write(place.join("certificate.smt2"), "old\n").is_ok();
    if full {
        let _ = std::fs::write(place.join("filling"), vec![b'x'; 1 << 20]);
        return kept;
    }
    kept && mount("remount,ro")
}
