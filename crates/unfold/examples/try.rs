#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used)]
use std::time::{Duration, Instant};
fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap();
    let dump = args.next();
    let t = Instant::now();
    let unit = c::read_file(std::path::Path::new(&path), &c::Options::new(c::DataModel::Ilp32)).map_err(|e| format!("{:?}", e.diagnostics)).unwrap();
    let p = analysis::points_to::PointsTo::of(&unit.program);
    let t1 = t.elapsed();
    let u = unfold::unfold(&unit.program, &p, &unfold::Options::default(), &|| false);
    let u = match u { Ok(u) => u, Err(e) => { println!("{path}: {e}"); return; } };
    let t2 = t.elapsed();
    println!("{path}: locations {} cuts {} rules {} state {} bounded {} read {:?} unfold {:?}", u.locations, u.nodes.len(), u.system.rules.len(), u.system.state.len(), u.is_bounded, t1, t2 - t1);
    let solver = smt::installed_solvers().into_iter().find(|s| s.name() == "z3").unwrap();
    let cancellation = logic::Cancellation::default();
    let settings = abstraction::horn::Settings { solver: &solver, timeout: Some(Duration::from_secs(60)), cancellation: &cancellation, solvers: &smt::Solvers::default() };
    if let Some(f) = dump { std::fs::write(f, abstraction::horn::script(&u.system)).unwrap(); }
    let r = abstraction::horn::solve(&u.system, &settings);
    match r { Ok(abstraction::horn::Outcome::Invariant(f)) => { println!("  SAFE {} facts {:?}", f.len(), t.elapsed() - t2);  if f.len() < 6 { for x in &f { println!("   {}", logic::pretty::pretty(x.formula)); } } }
      Ok(o) => println!("  {o:?} {:?}", t.elapsed() - t2), Err(e) => println!("  ERR {e}") }
}
