//! Requests that nobody should make.

use crate::common::{Folder, cubist};
use crate::server::{Server, answer};
use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// What is sent, and the statuses that may come back.
struct Bad {
    bytes: Vec<u8>,
    expected: &'static [u16],
}

fn bad(text: impl AsRef<[u8]>, expected: &'static [u16]) -> Bad {
    Bad {
        bytes: text.as_ref().to_vec(),
        expected,
    }
}

/// Requests of those who may not ask.
fn strangers(server: &Server) -> Vec<Bad> {
    let Server { port, token, .. } = server;
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let cookie = format!("Cookie: cubist-{port}={token}\r\n");
    let ours = format!("{host}{cookie}");
    let wrong = token.chars().rev().collect::<String>();
    vec![
        bad(format!("GET / HTTP/1.1\r\n{host}\r\n"), &[403]),
        bad(format!("GET /?token={wrong} HTTP/1.1\r\n{host}\r\n"), &[403]),
        bad(
            format!("GET /api/state HTTP/1.1\r\n{host}Cookie: cubist-{port}={wrong}\r\n\r\n"),
            &[403],
        ),
        bad(
            format!("GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n{cookie}\r\n"),
            &[403],
        ),
        bad(
            format!("GET /?token={token} HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n"),
            &[403],
        ),
        bad(format!("GET / HTTP/1.1\r\n{cookie}\r\n"), &[400]),
        bad(
            format!(
                "POST /api/command HTTP/1.1\r\n{ours}Origin: https://evil.example\r\nContent-Length: 4\r\n\r\nundo"
            ),
            &[403],
        ),
        bad(
            format!("POST /api/command HTTP/1.1\r\n{ours}Origin: null\r\nContent-Length: 4\r\n\r\nundo"),
            &[403],
        ),
        bad(
            format!("POST /api/command HTTP/1.1\r\n{ours}Sec-Fetch-Site: cross-site\r\nContent-Length: 4\r\n\r\nundo"),
            &[403],
        ),
    ]
}

/// Requests that are wrong, whoever asks.
fn wrong(server: &Server) -> Vec<Bad> {
    let Server { port, token, .. } = server;
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let ours = format!("{host}Cookie: cubist-{port}={token}\r\n");
    let long = "x".repeat(100_000);
    vec![
        bad(format!("GET /../../etc/passwd HTTP/1.1\r\n{ours}\r\n"), &[404]),
        bad(format!("GET /%2e%2e/etc/passwd HTTP/1.1\r\n{ours}\r\n"), &[404]),
        bad(format!("GET /nothing HTTP/1.1\r\n{ours}\r\n"), &[404]),
        bad(format!("DELETE /api/state HTTP/1.1\r\n{ours}\r\n"), &[405]),
        bad(format!("GET /api/command HTTP/1.1\r\n{ours}\r\n"), &[405]),
        bad(
            format!("POST /api/state HTTP/1.1\r\n{ours}Content-Length: 0\r\n\r\n"),
            &[405],
        ),
        bad("\u{1}\u{2}\u{3} nonsense\r\n\r\n", &[400]),
        bad(b"\xff\xfe\xfd\r\n\r\n", &[400]),
        bad(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", &[400]),
        bad(
            format!("POST /api/command HTTP/1.1\r\n{ours}Content-Length: 100000000\r\n\r\n{long}"),
            &[413],
        ),
        bad(
            format!("POST /api/command HTTP/1.1\r\n{ours}Content-Length: 99999999999999999999999\r\n\r\nx"),
            &[413],
        ),
        bad(format!("GET /{long} HTTP/1.1\r\n{ours}\r\n"), &[431]),
        bad(format!("GET / HTTP/1.1\r\n{ours}X: {long}\r\n\r\n"), &[431]),
        bad(
            format!("POST /api/command HTTP/1.1\r\n{ours}Content-Length: -4\r\n\r\nundo"),
            &[400],
        ),
        bad(
            format!("POST /api/command HTTP/1.1\r\n{ours}Content-Length: 4\r\nContent-Length: 4\r\n\r\nundo"),
            &[400],
        ),
        bad(
            format!("POST /api/command HTTP/1.1\r\n{ours}Transfer-Encoding: chunked\r\n\r\n4\r\nundo\r\n0\r\n\r\n"),
            &[400],
        ),
        bad(
            format!("POST /api/command HTTP/1.1\r\n{ours}Content-Length: 40\r\n\r\nundo"),
            &[400],
        ),
        bad(
            format!("POST /api/command HTTP/1.1\r\n{ours}Content-Length: 2\r\n\r\nundo"),
            &[400],
        ),
        // Two requests in one: the second is never looked at.
        bad(
            format!("GET / HTTP/1.1\r\n{host}\r\nPOST /api/command HTTP/1.1\r\n{ours}Content-Length: 4\r\n\r\nundo"),
            &[400, 403],
        ),
    ]
}

pub(crate) fn bad_requests_are_refused_and_the_session_is_intact() {
    let mut server = Server::start(&["models/prove/ticket-two.m"]);
    server.follow("analyze");
    let before = server.follow("induct");
    // Each is one of a kind.
    let kinds: Vec<Bad> = strangers(&server).into_iter().chain(wrong(&server)).collect();
    assert!(kinds.len() >= 12);
    let requests: Vec<&Bad> = kinds.iter().cycle().take(100.max(kinds.len() * 4)).collect();
    let shared = &server;
    std::thread::scope(|scope| {
        for part in requests.chunks(requests.len().div_ceil(8)) {
            scope.spawn(move || {
                for Bad { bytes, expected } in part {
                    let (status, body) = shared.send(bytes);
                    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
                    assert!(expected.contains(&status), "{start}: {status} {body}");
                }
            });
        }
    });
    // A line that comes letter by letter, and one that never comes.
    let mut slow = server.connect();
    let silent = server.connect();
    for letter in b"GET / HTTP/1.1\r\nHost: 127" {
        let _ = slow.write_all(&[*letter]);
        std::thread::sleep(Duration::from_millis(20));
    }
    for mut stream in [slow, silent] {
        assert_eq!(answer(&mut stream).0, 408);
    }
    assert!(server.is_alive());
    let after = server.json("/api/state");
    for part in ["goals", "facts", "offers", "subgoals", "suggestions", "steps", "log"] {
        assert_eq!(after[part], before[part], "{part}");
    }
    assert_eq!(server.follow("undo")["steps"], serde_json::json!(["analyze"]));
}

pub(crate) fn many_connections_and_a_huge_request_are_survived() {
    let mut server = Server::start(&["models/prove/ticket-two.m"]);
    server.follow("analyze");
    let Server { port, token, .. } = &server;
    let head = format!(
        "POST /api/command HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: cubist-{port}={token}\r\n\
         Content-Length: 104857600\r\n\r\n"
    );
    // 100 MB are refused by what the head says, whether or not the rest comes.
    let mut huge = server.connect();
    huge.write_all(head.as_bytes()).unwrap();
    let megabyte = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        if huge.write_all(&megabyte).is_err() {
            break;
        }
    }
    assert_eq!(answer(&mut huge).0, 413);
    // 200 at once, all of them half a request; some are told to come back.
    let streams: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = server.connect();
            let _ = stream.write_all(b"GET / HTTP/1.1\r\n");
            stream
        })
        .collect();
    let (status, _) = server.request("GET", "/api/progress", "");
    assert!(matches!(status, 0 | 200 | 503), "{status}");
    let mut statuses = Vec::new();
    for (number, mut stream) in streams.into_iter().enumerate() {
        // Half of them go away, the others wait to the end.
        if number % 2 == 0 {
            let _ = stream.shutdown(Shutdown::Both);
        } else {
            statuses.push(answer(&mut stream).0);
        }
    }
    assert!(
        statuses.iter().all(|status| matches!(status, 0 | 408 | 503)),
        "{statuses:?}"
    );
    assert!(statuses.contains(&408), "{statuses:?}");
    assert!(server.is_alive());
    assert_eq!(
        server.follow("induct")["steps"],
        serde_json::json!(["analyze", "induct"])
    );
}

pub(crate) fn a_model_with_a_mistake_is_shown_with_its_place() {
    let folder = Folder::new("serve-mistake");
    let run = cubist(&["serve", &folder.write("bad.m", "var x: nothing;\n")]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("bad.m:1:8"), "{run:?}");
    let run = cubist(&["serve", "models/none.m"]);
    assert_eq!(run.status, Some(2), "{run:?}");
}
