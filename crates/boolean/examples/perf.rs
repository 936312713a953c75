use boolean::random::large;
use boolean::*;
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    for broken in [false, true] {
        let p = large(a[0], a[1], broken);
        let t = std::time::Instant::now();
        let c = logic::Cancellation::new();
        let d = c.clone();
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_secs(150));
            d.cancel();
        });
        let r = check(&p, &c).unwrap();
        let v = match &r.verdict {
            Verdict::Unsafe(t) => format!("unsafe {}", t.steps()),
            v => format!("{v:?}"),
        };
        println!("{broken} {v} {:?} {:?}", r.statistics, t.elapsed());
    }
}
