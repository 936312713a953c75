//! Limits and kills: `--timeout` and `--memory` are kept, whatever the program is busy with; a run that is killed at a random moment is
//! resumed with the same verdict; a disk that is full or read-only gives a clear error, and loses nothing.

use crate::confirmation::root;
use crate::program::{Finished, cubist, run as run_program, start};
use crate::random::Dice;
use crate::tally::Run;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How late an answer may come after `--timeout`.
const LATE: Duration = Duration::from_secs(2);
/// Until a run without a limit is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Models that keep the program busy, in engines, in exploration and in the front end.
const HARD: [&str; 6] = [
    "flash.m",
    "german.m",
    "aodv.m",
    "gc-fine.m",
    "bounded-retransmission.m",
    "bakery.m",
];
/// Models that are proved in a few seconds.
const KILLED: [&str; 3] = ["mutex-server.m", "mutex-ring.m", "semaphore.m"];

pub fn run(run: &mut Run) {
    let Some(program) = cubist() else {
        run.tell("the program is not built (`make build`): nothing to do");
        return;
    };
    let folder = std::env::temp_dir().join(format!("cubist-limits-{}", std::process::id()));
    if std::fs::create_dir_all(&folder).is_err() {
        return;
    }
    deaf_queries(run, &program, &folder);
    for case in run.cases() {
        let mut dice = run.begin(case);
        match case % 4 {
            0 => timeout(run, &program, &mut dice),
            1 => memory(run, &program, &mut dice),
            _ => kill(run, &program, &folder, &mut dice),
        }
    }
    disks(run, &program, &folder);
    let _ = std::fs::remove_dir_all(&folder);
}

fn model(name: &&str) -> String {
    root().join("models").join(name).to_string_lossy().into_owned()
}

fn timeout(run: &mut Run, program: &PathBuf, dice: &mut Dice) {
    let model = model(dice.pick(&HARD));
    let limit = Duration::from_millis(200 + dice.roll(3_000) as u64);
    let seconds = limit.as_secs_f64().to_string();
    let command = ["check", "explore"][dice.roll(2)];
    let finished = run_program(program, &[command, &model, "--timeout", &seconds], PATIENCE);
    judge_time(run, finished, limit, &format!("{command} {model} --timeout {seconds}"));
}

fn judge_time(run: &mut Run, finished: std::io::Result<Finished>, limit: Duration, what: &str) {
    let Ok(finished) = finished else { return };
    run.tried += 1;
    let over = finished.elapsed.saturating_sub(limit);
    run.add(
        if over > LATE {
            "timeouts missed"
        } else {
            "timeouts kept"
        },
        1,
    );
    if over > LATE || !finished.is_in_order() {
        let what = format!(
            "{what}: status {:?} after {:.1} s",
            finished.status,
            finished.elapsed.as_secs_f64()
        );
        run.failure(&format!("{}.txt", run.name()), &what, finished.output.as_bytes());
    }
}

/// Nonlinear arithmetic, on which Z3 goes on past its own limits.
fn deaf_queries(run: &mut Run, program: &PathBuf, folder: &Path) {
    let text = "var x, y, z: integer;\nstartstate havoc x; havoc y; havoc z; end;\n\
        rule \"step\" x * x * x + y * y * y = z * z * z + 33 & x > 1000 & y > 1000 ==> x := x + y * z; y := z * z; z := x * y; end;\n\
        invariant \"cubes\" x * x * x + y * y * y + z * z * z != 114 | x * y * z < 7;\n";
    let path = folder.join("cubes.m");
    if std::fs::write(&path, text).is_err() {
        return;
    }
    let shown = path.to_string_lossy();
    let limit = Duration::from_secs(3);
    let finished = run_program(program, &["check", &shown, "--timeout", "3"], PATIENCE);
    judge_time(run, finished, limit, "check cubes.m --timeout 3");
}

/// The most memory that the process took stays within a tenth of the limit.
fn memory(run: &mut Run, program: &PathBuf, dice: &mut Dice) {
    let model = model(dice.pick(&HARD));
    let megabytes = 80 + 20 * dice.roll(8) as u64;
    let limit = megabytes.to_string();
    let command = ["check", "explore"][dice.roll(2)];
    let arguments = [command, &model, "--memory", &limit, "--timeout", "8"];
    let Ok(mut child) = start(program, &arguments) else {
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
    run.tried += 1;
    let allowed = megabytes + megabytes / 10;
    run.add(
        if most >> 20 > allowed {
            "memory limits missed"
        } else {
            "memory limits kept"
        },
        1,
    );
    if most >> 20 > allowed {
        let what = format!("{}: {} MB taken", arguments.join(" "), most >> 20);
        run.failure(&format!("{}.txt", run.name()), &what, what.clone().as_bytes());
    }
}

fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or_default() << 10
}

/// Killed at a random moment, and resumed.
fn kill(run: &mut Run, program: &PathBuf, folder: &Path, dice: &mut Dice) {
    let model = model(dice.pick(&KILLED));
    let kept = folder.join(format!("run-{}", run.tried));
    let shown = kept.to_string_lossy();
    let arguments = ["check", &model, "--ignore-predicates", "--run", &shown];
    let Ok(mut child) = start(program, &arguments) else {
        return;
    };
    std::thread::sleep(Duration::from_millis(dice.roll(1_500) as u64));
    let _ = child.kill();
    let _ = child.wait();
    let option = if kept.join("learned.json").exists() {
        "--resume"
    } else {
        "--run"
    };
    run.add(
        if option == "--resume" {
            "killed after something was kept"
        } else {
            "killed before"
        },
        1,
    );
    let Ok(finished) = run_program(
        program,
        &["check", &model, "--ignore-predicates", option, &shown],
        PATIENCE,
    ) else {
        return;
    };
    run.tried += 1;
    if finished.verdict() != Some("safe") {
        let what = format!("{model}, killed and resumed: status {:?}", finished.status);
        run.failure(&format!("{}.txt", run.name()), &what, finished.output.as_bytes());
    }
    let _ = std::fs::remove_dir_all(&kept);
}

/// Where nothing can be written there is an error, status 2, and what was there stays.
fn disks(run: &mut Run, program: &PathBuf, folder: &Path) {
    let model = model(&"good-bad.m");
    let mut places = vec![PathBuf::from("/proc/cubist-limits")];
    let full = folder.join("full");
    if is_full(&full) {
        places.push(full.clone());
    } else {
        run.add("no full disk could be made", 1);
    }
    for place in places {
        let file = place.join("certificate.smt2");
        let before = std::fs::read(&file).ok();
        let (file_shown, folder_shown) = (file.to_string_lossy(), place.join("run"));
        let folder_shown = folder_shown.to_string_lossy();
        for (option, value) in [("--certificate", &file_shown), ("--run", &folder_shown)] {
            let Ok(finished) = run_program(program, &["check", &model, option, value], PATIENCE) else {
                continue;
            };
            run.tried += 1;
            let is_clear = finished.status == Some(2) && finished.output.contains("error");
            if !is_clear || std::fs::read(&file).ok() != before {
                let what = format!("{option} {value}: status {:?}", finished.status);
                run.failure(&format!("{}.txt", run.name()), &what, finished.output.as_bytes());
            }
        }
    }
    let _ = std::process::Command::new("umount").arg(&full).output();
}

/// A file system of a few kilobytes with an old certificate, and no room for another: needs the right to mount.
fn is_full(place: &Path) -> bool {
    let mount = ["-t", "tmpfs", "-o", "size=8k", "tmpfs"];
    let mounted = std::fs::create_dir_all(place)
        .and_then(|()| std::process::Command::new("mount").args(mount).arg(place).output());
    if !mounted.is_ok_and(|output| output.status.success()) {
        return false;
    }
    let kept = std::fs::write(place.join("certificate.smt2"), "old\n").is_ok();
    let _ = std::fs::write(place.join("filling"), vec![b'x'; 1 << 20]);
    kept
}
