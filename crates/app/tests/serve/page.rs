//! The page in Chromium. With CUBIST_SCREENSHOTS=DIR, pictures are left there, to be looked at.

use crate::browser::{Browser, Tab};
use crate::common::{self, Folder, cubist};
use crate::server::Server;
use serde_json::json;
use std::time::{Duration, Instant};
use testing::Outcome;

/// How the ticket proof begins (models/prove/ticket-two.script); each step is one of those that are suggested. What
/// follows is the first suggestion each time.
const STEPS: [&str; 4] = ["analyze", "induct", "abstract with p1 p2", "why"];

fn suggestion(command: &str) -> String {
    format!("document.querySelector('#suggestions button[data-command=\"{command}\"]')")
}

/// Takes a suggestion, and waits until it is done.
fn take(browser: &mut Browser, tab: &Tab, command: &str) {
    let said = browser.value(tab, "state.log.length");
    browser.click(tab, &suggestion(command));
    done(browser, tab, said.as_u64().unwrap());
}

fn done(browser: &mut Browser, tab: &Tab, said: u64) {
    browser.wait(
        tab,
        &format!("state.log.length > {said} && !busy && $('cancel').hidden"),
    );
}

/// Nothing is wider than the window, and nothing covers what can be clicked.
fn assert_readable(browser: &mut Browser, tab: &Tab) {
    let wide = browser.value(tab, "document.documentElement.scrollWidth - innerWidth");
    assert!(wide.as_i64().unwrap() <= 0, "the page is {wide} pixels too wide");
    let covered = browser.value(
        tab,
        "[...document.querySelectorAll('header button, header summary, footer input, #suggestions button, [role=tab]')]\
         .filter(element => { element.scrollIntoView({ block: 'center' }); const box = element.getBoundingClientRect(); \
         const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2); \
         return !(top && (element.contains(top) || top.contains(element) && top === element)); })\
         .map(element => element.textContent || element.id)",
    );
    assert_eq!(covered, json!([]), "covered");
}

pub(crate) fn the_ticket_proof_by_clicks() -> Outcome {
    common::solvers()?;
    let mut browser = Browser::start("serve-clicks")?;
    let folder = Folder::new("serve-clicks-session");
    let session = folder.path("ticket.script");
    let mut server = Server::start(&["models/prove/ticket-two.m", "--session", &session]);
    let tab = browser.open(&server.address());
    browser.wait(&tab, "state !== null");
    // The token is gone from the address.
    assert_eq!(browser.value(&tab, "location.search"), "");
    for step in &STEPS[..3] {
        take(&mut browser, &tab, step);
    }
    a_run_is_stepped_through(&mut browser, &tab);
    abstract_states_are_looked_at(&mut browser, &tab);
    // Undo, and the same again.
    let said = browser.value(&tab, "state.log.length").as_u64().unwrap();
    browser.click(&tab, "$('undo')");
    done(&mut browser, &tab, said);
    assert_eq!(browser.value(&tab, "state.steps.length"), 2);
    assert_eq!(browser.value(&tab, "state.run"), json!(null));
    for step in &STEPS[2..] {
        take(&mut browser, &tab, step);
    }
    // Nothing is lost when the page is loaded again, and another one shows the same.
    let shown = "JSON.stringify([state.goals, state.facts, state.offers, state.suggestions, state.steps, state.log])";
    let before = browser.value(&tab, shown);
    browser.call(Some(&tab), "Page.reload", json!({}));
    browser.wait(&tab, "state !== null");
    assert_eq!(browser.value(&tab, shown), before);
    let second = browser.open(&server.address());
    browser.wait(&second, "state !== null");
    assert_eq!(browser.value(&second, shown), before);
    for _ in 0..12 {
        let next = browser.wait(&tab, "state.suggestions[0].command");
        take(&mut browser, &tab, next.as_str().unwrap());
        if next == "qed" {
            break;
        }
    }
    browser.wait(&second, "state.verdict && state.verdict.safe");
    assert_eq!(browser.value(&tab, "state.steps.slice(0, 4)"), json!(STEPS));
    browser.picture(&tab, "finished-1280-light");
    a_certificate_is_downloaded(&mut browser, &tab);
    // What was kept leads to the same proof.
    let proved = cubist(&["prove", "models/prove/ticket-two.m", "--script", &session]);
    assert_eq!(proved.status, Some(0), "{proved:?}");
    assert_eq!(browser.complaints, Vec::<String>::new());
    // The server is killed: both pages say so.
    server.kill();
    for tab in [&tab, &second] {
        browser.wait(
            tab,
            "!$('banner').hidden && $('banner').textContent.includes('does not answer')",
        );
    }
    Ok(())
}

/// With the keyboard, abstract beside concrete, and its rules shown in the source.
fn a_run_is_stepped_through(browser: &mut Browser, tab: &Tab) {
    browser.wait(
        tab,
        "state.concrete && tab === 'trace' && document.querySelector('#trace tbody tr')",
    );
    let rows = browser.value(tab, "state.run.rows.length").as_u64().unwrap();
    assert!(rows >= 2);
    browser.click(tab, "document.querySelector('#trace tbody tr')");
    let first = browser.value(tab, "$('trace').innerText");
    browser.key(tab, "ArrowDown");
    browser.wait(tab, "row === 1 && document.activeElement.dataset.row === '1'");
    assert_ne!(browser.value(tab, "$('trace').innerText"), first);
    let rule = browser
        .value(tab, "state.run.rows[1].rule")
        .as_str()
        .unwrap()
        .to_owned();
    let hit = browser.value(
        tab,
        "[...document.querySelectorAll('#source .hit')].map(line => line.textContent).join('\\n')",
    );
    assert!(
        hit.as_str().unwrap().contains(&format!("rule \"{rule}\"")),
        "{rule}: {hit}"
    );
    let is_seen = "(() => { const hit = document.querySelector('#source .hit').getBoundingClientRect(); \
                   const pane = $('source').getBoundingClientRect(); return hit.top >= pane.top && hit.top < pane.bottom; })()";
    assert_eq!(browser.value(tab, is_seen), true);
    // The first state is the initial one; the run becomes impossible somewhere.
    let concrete = browser.value(tab, "state.concrete.map(Object.fromEntries)");
    assert_eq!((&concrete[0]["pc1"], &concrete[0]["t2"]), (&json!("init"), &json!("0")));
    assert!((concrete.as_array().unwrap().len() as u64) < rows, "{concrete}");
}

fn abstract_states_are_looked_at(browser: &mut Browser, tab: &Tab) {
    browser.wait(tab, "graph !== null");
    browser.click(tab, "$('tab-states')");
    browser.wait(tab, "document.querySelector('#canvas [data-states]')");
    browser.click(tab, "document.querySelector('#canvas [data-states] rect')");
    browser.wait(tab, "$('state').innerText.includes('pc1 = init')");
    let width = "Number(document.querySelector('#canvas svg').getAttribute('viewBox').split(' ')[2])";
    let before = browser.value(tab, width).as_f64().unwrap();
    browser.click(tab, "document.querySelector('#states button')");
    assert!(browser.value(tab, width).as_f64().unwrap() < before);
}

/// It is one that another process confirms.
fn a_certificate_is_downloaded(browser: &mut Browser, tab: &Tab) {
    browser.click(tab, "document.querySelector('#downloads summary')");
    browser.click(tab, "document.querySelector('#download-certificate a')");
    let file = browser.folder.path("ticket-two.smt2");
    let begun = Instant::now();
    while !std::path::Path::new(&file).exists() {
        assert!(begun.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(50));
    }
    let validated = cubist(&["validate", &file, "--model", "models/prove/ticket-two.m"]);
    assert_eq!(validated.status, Some(0), "{validated:?}");
}

pub(crate) fn the_page_is_readable() -> Outcome {
    let mut browser = Browser::start("serve-readable")?;
    let server = Server::start(&["models/prove/ticket-two.m"]);
    let tab = browser.open(&server.address());
    browser.wait(&tab, "state !== null");
    for step in STEPS {
        take(&mut browser, &tab, step);
    }
    browser.wait(&tab, "state.concrete && graph !== null");
    browser.value(&tab, "stepTo(1)");
    for (width, height) in [(1280, 800), (800, 1000)] {
        browser.size(&tab, width, height);
        for is_dark in [false, true] {
            browser.dark(&tab, is_dark);
            let shade = if is_dark { "dark" } else { "light" };
            for view in ["goal", "trace", "states", "known", "log"] {
                browser.value(&tab, &format!("choose('{view}')"));
                if view == "states" {
                    browser.value(&tab, "node = [0]; paint()");
                }
                assert_readable(&mut browser, &tab);
                browser.value(&tab, "scrollTo(0, 0); $('suggestions').scrollTop = 0");
                browser.picture(&tab, &format!("{view}-{width}-{shade}"));
            }
        }
    }
    Ok(())
}

pub(crate) fn the_page_works_with_keys_alone() -> Outcome {
    let mut browser = Browser::start("serve-keys")?;
    let server = Server::start(&["models/prove/ticket-two.m"]);
    let tab = browser.open(&server.address());
    browser.wait(&tab, "state !== null && state.suggestions.length");
    browser.key(&tab, "1");
    browser.wait(&tab, "!busy && state.steps.length === 1");
    browser.key(&tab, "/");
    browser.keys(&tab, "ind");
    browser.key(&tab, "Tab");
    browser.key(&tab, "Enter");
    browser.wait(&tab, "!busy && state.steps.length === 2");
    browser.keys(&tab, "abstract with a <= t1; b <= t1");
    browser.key(&tab, "Enter");
    browser.wait(&tab, "!busy && state.run && tab === 'trace'");
    browser.key(&tab, "Escape");
    browser.key(&tab, "j");
    browser.wait(&tab, "row === 1");
    browser.key(&tab, "g");
    browser.key(&tab, "ArrowRight");
    browser.wait(&tab, "tab === 'trace' && document.activeElement.id === 'tab-trace'");
    browser.key(&tab, "u");
    browser.wait(&tab, "!busy && state.steps.length === 2");
    // A mistake is told with its place.
    browser.key(&tab, "/");
    browser.keys(&tab, "conjecture t1 = nobody");
    browser.key(&tab, "Enter");
    browser.wait(&tab, "!busy && $('said').innerText.includes('nobody')");
    assert_eq!(browser.value(&tab, "$('said').classList.contains('error')"), true);
    browser.picture(&tab, "error-1280-light");
    browser.key(&tab, "Escape");
    browser.key(&tab, "?");
    browser.wait(&tab, "$('help').open");
    browser.picture(&tab, "help-1280-light");
    Ok(())
}

pub(crate) fn an_answer_is_kept_as_a_page() -> Outcome {
    common::solvers()?;
    let mut browser = Browser::start("serve-kept")?;
    let folder = Folder::new("serve-kept-files");
    for (model, status, verdict) in [("models/german-bug.m", 10, "bad"), ("models/mutex-server.m", 0, "good")] {
        let path = folder.path(&format!("{verdict}.html"));
        // With predicates there are abstract states.
        let graph = folder.path("states.svg");
        let run = cubist(&["check", model, "--graph", &graph, "--report", &path]);
        assert_eq!(run.status, Some(status), "{run:?}");
        let tab = browser.open(&format!("file://{path}"));
        browser.wait(&tab, &format!("$('standing').classList.contains('{verdict}')"));
        for (width, height) in [(800, 1000), (1280, 800)] {
            browser.size(&tab, width, height);
            let wide = browser.value(&tab, "document.documentElement.scrollWidth - innerWidth");
            assert!(wide.as_i64().unwrap() <= 0, "{model} is {wide} pixels too wide");
        }
        if verdict == "bad" {
            // The run, and where it goes wrong.
            let rows = browser.value(&tab, "state.run.rows.length").as_u64().unwrap();
            browser.key(&tab, "j");
            browser.wait(&tab, "row === 1 && document.querySelector('#source .hit')");
            assert!(rows > 2);
        } else {
            assert!(browser.value(&tab, "state.facts.length").as_u64().unwrap() > 0);
            assert_eq!(browser.value(&tab, "state.goals.every(goal => goal.proved)"), true);
            browser.key(&tab, "a");
            browser.wait(&tab, "document.querySelector('#canvas [data-states]')");
        }
        browser.picture(&tab, &format!("kept-{verdict}"));
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
    Ok(())
}
