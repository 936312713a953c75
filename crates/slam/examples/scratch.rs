use analysis::points_to::PointsTo;
use std::time::Instant;
use system::{SourceFile, Sources};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mode = match args.get(2).map(String::as_str) { Some("none") => slam::Mode::None, Some("eager") => slam::Mode::Eager, _ => slam::Mode::Lazy };
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let sources = Sources::new(SourceFile::new("test.i", text));
    let unit = c::read(&sources, &c::Options::new(c::DataModel::Ilp32)).unwrap();
    let points_to = PointsTo::of(&unit.program);
    let started = Instant::now();
    let frames = unfold::frames::Frames::new(&unit.program, &points_to, &unfold::Options::default());
    let solvers = smt::Solvers::default();
    let observer = |event: slam::Event| if args.get(3).is_some() { match event {
        slam::Event::Predicate(p) => eprintln!("   {}", logic::pretty::pretty(p)),
        slam::Event::Searched { iteration, predicates, constraints } => eprintln!("{:?} iteration {iteration} predicates {predicates} constraints {constraints} checks {}", started.elapsed(), solvers.statistics().total()),
    }};
    let settings = slam::Settings { solvers: &solvers, mode, longest: 3, observer: &observer };
    let mut engine = slam::Slam::new(frames, &settings).unwrap();
    let outcome = engine.run();
    let word = match outcome { Ok(slam::Outcome::Safe(_)) => "safe".to_owned(), Ok(slam::Outcome::Inputs(i)) => format!("inputs {}", i.len()), Ok(slam::Outcome::NoDifference) => "ndf".into(), Ok(slam::Outcome::Unclear) => "unclear".into(), Ok(_) => "interrupted".into(), Err(e) => format!("{e}") };
    if args.get(3).is_some_and(|a| a == "p") { eprintln!("{}", engine.c2bp().unwrap().program); }
    println!("{} {word} {:?} {:?} checks {}", args[1].rsplit('/').next().unwrap(), started.elapsed(), engine.statistics, solvers.statistics().total());
}
