//! A server of ours, and requests to it.

use crate::common::{Folder, command};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use testing::Outcome;

pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Server {
        let mut child = command(&[&["serve"], arguments].concat())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let (_, address) = line.trim().split_once("http://127.0.0.1:").unwrap();
        let (port, token) = address.split_once("/?token=").unwrap();
        Server {
            child,
            port: port.parse().unwrap(),
            token: token.to_owned(),
        }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends these bytes, and reads all that comes back; the status is 0 where nothing does.
    pub(crate) fn send(&self, bytes: &[u8]) -> (u16, String) {
        let mut stream = self.connect();
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        answer(&mut stream)
    }

    /// A request of whoever has the token.
    pub(crate) fn request(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let Server { port, token, .. } = self;
        let length = body.len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: a=b; cubist-{port}={token}\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        self.send(text.as_bytes())
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        let (status, body) = self.request("GET", path, "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Does what a line says, and returns what the server shows then.
    pub(crate) fn follow(&self, line: &str) -> Value {
        let (status, body) = self.request("POST", "/api/command", line);
        assert_eq!(status, 202, "{line}: {body}");
        self.rest()
    }

    /// Waits until nothing is under way.
    pub(crate) fn rest(&self) -> Value {
        let begun = Instant::now();
        while !self.json("/api/progress")["busy"].is_null() {
            assert!(begun.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(20));
        }
        self.json("/api/state")
    }
}

/// The status and the body.
pub(crate) fn answer(stream: &mut TcpStream) -> (u16, String) {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let status = text
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0);
    let body = text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
    (status, body.unwrap_or_default())
}

pub(crate) fn a_session_is_kept_and_taken_up_again() {
    let folder = Folder::new("serve-session");
    let path = folder.path("ticket.script");
    let arguments = ["models/prove/ticket-two.m", "--session", &path];
    let mut server = Server::start(&arguments);
    server.follow("analyze");
    let state = server.follow("induct");
    assert_eq!(state["subgoals"].as_array().unwrap().len(), 2);
    assert_eq!(state["steps"], serde_json::json!(["analyze", "induct"]));
    // A mistake, and what only asks, change nothing.
    let state = server.follow("conjecture t1 = nobody");
    assert_eq!(state["log"].as_array().unwrap().last().unwrap()["kind"], "error");
    assert_eq!(server.follow("status")["steps"].as_array().unwrap().len(), 2);
    server.kill();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.ends_with("analyze\ninduct\n"), "{text}");
    let server = Server::start(&arguments);
    let again = server.json("/api/state");
    for part in ["goals", "facts", "offers", "subgoals", "suggestions", "steps"] {
        assert_eq!(again[part], state[part], "{part}");
    }
    assert_eq!(server.follow("undo")["steps"], serde_json::json!(["analyze"]));
    let (status, script) = server.request("GET", "/download/session", "");
    assert!(status == 200 && script.ends_with("\nanalyze\n"), "{script}");
}

pub(crate) fn a_step_can_be_cancelled() {
    // Strengthening does not converge on this one.
    let server = Server::start(&["models/prove/ticket-two.m"]);
    let before = server.follow("induct")["steps"].clone();
    let (status, _) = server.request("POST", "/api/command", "strengthen 1000");
    assert_eq!(status, 202);
    let begun = Instant::now();
    let busy = loop {
        let progress = server.json("/api/progress");
        if progress["busy"]["checks"].as_u64().is_some_and(|checks| checks > 0) || progress["busy"].is_null() {
            break progress["busy"].clone();
        }
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(busy["command"], "strengthen 1000");
    assert_eq!(server.request("POST", "/api/command", "induct").0, 409);
    assert_eq!(server.request("POST", "/api/cancel", "").0, 202);
    let state = server.rest();
    assert_eq!(state["steps"], before);
    assert_eq!(state["log"].as_array().unwrap().last().unwrap()["kind"], "error");
    // The session goes on.
    assert_eq!(server.follow("analyze")["steps"].as_array().unwrap().len(), 2);
}

/// Asks for something that takes long, cancels it as soon as it has begun to ask the solver, and returns what is shown
/// then.
fn cancelled(server: &Server, line: &str) -> Value {
    let (status, body) = server.request("POST", "/api/command", line);
    assert_eq!(status, 202, "{body}");
    let begun = Instant::now();
    loop {
        let progress = server.json("/api/progress");
        assert!(!progress["busy"].is_null(), "{line} has ended by itself");
        if progress["busy"]["checks"].as_u64().is_some_and(|checks| checks > 0) {
            break;
        }
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(server.request("POST", "/api/cancel", "").0, 202);
    let begun = Instant::now();
    let state = server.rest();
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{line}: {:?}",
        begun.elapsed()
    );
    state
}

/// What `auto` did before is kept; a `qed` that is cancelled proves nothing, and can be had again.
pub(crate) fn auto_and_qed_can_be_cancelled() -> Outcome {
    crate::common::solvers()?;
    let folder = Folder::new("serve-cancelled");
    let path = folder.path("kept.script");
    let server = Server::start(&["models/prove/consensus-bug.m", "--session", &path]);
    let state = cancelled(&server, "auto");
    let last = state["log"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["kind"], "error", "{last}");
    let steps: Vec<&str> = state["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s.as_str().unwrap())
        .collect();
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let kept: Vec<&str> = kept.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(kept, steps);
    drop(server);
    let server = Server::start(&["models/prove/consensus.m"]);
    for step in ["analyze", "induct"] {
        server.follow(step);
    }
    assert_eq!(server.json("/api/state")["finished"], true);
    let state = cancelled(&server, "qed");
    assert!(
        state["verdict"].is_null() || state["verdict"]["safe"] == false,
        "{}",
        state["verdict"]
    );
    assert_eq!(state["certificate"], false);
    assert_eq!(server.request("GET", "/download/certificate", "").0, 404);
    let state = server.follow("qed");
    assert_eq!(state["verdict"]["safe"], true, "{}", state["verdict"]);
    assert_eq!(state["certificate"], true);
    Ok(())
}

const MUTEX: &str = "\
type state = Idle | Want | Crit
var Turn : proc
array PC[proc] : state

init (z) { PC[z] = Idle }
unsafe (x y) { PC[x] = Crit && PC[y] = Crit }

transition ask (x)
requires { PC[x] = Idle }
{ PC[x] := Want }

transition enter (x)
requires { PC[x] = Want && Turn = x }
{ PC[x] := Crit }

transition leave (x)
requires { PC[x] = Crit }
{ PC[x] := Idle; Turn := . }
";

pub(crate) fn a_file_of_cubicle_is_served() -> Outcome {
    crate::common::solvers()?;
    let folder = Folder::new("serve-cubicle");
    let model = folder.path("mutex.cub");
    std::fs::write(&model, MUTEX).unwrap();
    let server = Server::start(&[&model]);
    assert!(
        server.json("/api/source")["text"]
            .as_str()
            .unwrap()
            .contains("transition")
    );
    let state = server.follow("induct");
    let log = state["log"].as_array().unwrap().clone();
    assert_ne!(log.last().unwrap()["kind"], "error", "{log:?}");
    let state = server.follow("auto");
    assert_eq!(state["finished"], true, "{}", state["log"]);
    assert_eq!(server.follow("qed")["verdict"]["safe"], true);
    Ok(())
}

/// Two rules by one name: the place is that of the rule which breaks the goal.
pub(crate) fn a_rule_is_marked_by_its_place() {
    let folder = Folder::new("serve-places");
    let model = folder.path("two.m");
    let text = "var x: integer; y: integer;
startstate x := 0; y := 0; end;

rule \"step\" y < 3 ==> y := y + 1; end;

rule \"step\" x < 3 ==> x := x + y; end;

invariant \"small\" x <= 3;
";
    std::fs::write(&model, text).unwrap();
    let server = Server::start(&[&model]);
    let state = server.follow("induct");
    let subgoal = &state["subgoals"][0];
    assert_eq!(subgoal["rule"], "step");
    let [start, end] = [0, 1].map(|number| subgoal["span"][number].as_u64().unwrap() as usize);
    assert!(text[start..end].contains("x := x + y"), "{}", &text[start..end]);
    assert!(!text[start..end].contains("y := y + 1"), "{}", &text[start..end]);
}
