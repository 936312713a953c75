//! As much of HTTP/1.1 as one page needs. Everything that comes in is bounded: its size, its time, its number; each
//! connection is for one request.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Of the first line and all headers together, in bytes.
const HEAD: usize = 16 << 10;
const HEADERS: usize = 64;
/// A command line.
const BODY: usize = 64 << 10;
/// From the first byte to the last one of a request, and of an answer.
const TIME: Duration = Duration::from_secs(5);
/// What a client still sends after it was refused is read for so long, or it would not see the refusal.
const DRAIN: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) query: String,
    headers: Vec<(String, String)>,
    pub(super) body: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Method {
    Get,
    Post,
}

#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// The value of a header that is there once; `Err` where it is there more often.
    pub(super) fn header(&self, name: &str) -> Result<Option<&str>, Response> {
        let mut values = self.headers.iter().filter(|(known, _)| known == name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(Response::refusal(400, "a header stands there twice")),
            (first, None) => Ok(first.map(|(_, value)| value.as_str())),
        }
    }
}

impl Response {
    pub(super) fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Response {
        Response {
            status,
            headers: vec![("Content-Type", kind.to_owned())],
            body: body.into(),
        }
    }

    pub(super) fn refusal(status: u16, why: &str) -> Response {
        Response::new(status, "text/plain; charset=utf-8", format!("{why}\n"))
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Response {
        self.headers.push((name, value.into()));
        self
    }
}

/// Reads one request. `Err(None)` where the client is gone.
pub(super) fn read(stream: &mut TcpStream) -> Result<Request, Option<Response>> {
    let mut input = Input {
        stream,
        deadline: Instant::now() + TIME,
        bytes: Vec::new(),
    };
    let end = input.head()?;
    let rest = input.bytes.split_off(end);
    let head = std::str::from_utf8(&input.bytes).map_err(|_| bad("the request is not UTF-8"))?;
    let (mut request, length) = parse(head)?;
    input.bytes = rest;
    request.body = input.body(length)?;
    Ok(request)
}

fn bad(why: &str) -> Option<Response> {
    Some(Response::refusal(400, why))
}

struct Input<'i> {
    stream: &'i mut TcpStream,
    deadline: Instant,
    bytes: Vec<u8>,
}

impl Input<'_> {
    /// Reads until the empty line; returns where the body begins.
    fn head(&mut self) -> Result<usize, Option<Response>> {
        loop {
            if let Some(end) = self.bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                return match end > HEAD {
                    true => Err(Some(Response::refusal(431, "the headers are too large"))),
                    false => Ok(end + 4),
                };
            }
            if self.bytes.len() > HEAD {
                return Err(Some(Response::refusal(431, "the headers are too large")));
            }
            self.more()?;
        }
    }

    fn body(&mut self, length: usize) -> Result<String, Option<Response>> {
        if length > BODY {
            return Err(Some(Response::refusal(413, "the request is too large")));
        }
        while self.bytes.len() < length {
            self.more()?;
        }
        if self.bytes.len() > length {
            return Err(bad("more follows than the request says"));
        }
        String::from_utf8(std::mem::take(&mut self.bytes)).map_err(|_| bad("the request is not UTF-8"))
    }

    fn more(&mut self) -> Result<(), Option<Response>> {
        let late = || Some(Response::refusal(408, "the request takes too long"));
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(late());
        }
        self.stream.set_read_timeout(Some(left)).map_err(|_| None)?;
        let mut buffer = [0; 4096];
        match self.stream.read(&mut buffer) {
            Ok(0) if self.bytes.is_empty() => Err(None),
            Ok(0) => Err(bad("the request ends too early")),
            Ok(count) => {
                self.bytes.extend_from_slice(&buffer[..count]);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Err(late()),
            Err(_) => Err(None),
        }
    }
}

/// The first line and the headers, and how long the body is.
fn parse(head: &str) -> Result<(Request, usize), Option<Response>> {
    let mut lines = head.trim_end_matches("\r\n").split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(bad("this is no request"));
    };
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(bad("this is not HTTP/1.1"));
    }
    let is_token = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_token(method) || !is_token(target) || !target.starts_with('/') {
        return Err(bad("this is no request"));
    }
    let method = match method {
        "GET" => Method::Get,
        "POST" => Method::Post,
        _ => {
            return Err(Some(
                Response::refusal(405, "only GET and POST").with("Allow", "GET, POST"),
            ));
        }
    };
    let mut headers = Vec::new();
    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            return Err(bad("this is no header"));
        };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if name.is_empty() || !name.bytes().all(is_name) || value.bytes().any(|byte| byte < 32 && byte != b'\t') {
            return Err(bad("this is no header"));
        }
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        if headers.len() > HEADERS {
            return Err(Some(Response::refusal(431, "there are too many headers")));
        }
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let request = Request {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        headers,
        body: String::new(),
    };
    if request.header("transfer-encoding")?.is_some() {
        return Err(bad("a body has a length"));
    }
    let length = match request.header("content-length")? {
        None => 0,
        Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse().unwrap_or(usize::MAX)
        }
        Some(_) => return Err(bad("this is no length")),
    };
    Ok((request, length))
}

/// Answers and ends the connection; a client that is gone is no error.
pub(super) fn write(stream: &mut TcpStream, response: &Response) {
    let _ = stream.set_write_timeout(Some(TIME));
    let mut head = format!("HTTP/1.1 {} {}\r\n", response.status, reason(response.status));
    for (name, value) in &response.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!(
        "Content-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n",
        response.body.len()
    ));
    let sent = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(&response.body));
    if sent.is_ok() && stream.shutdown(Shutdown::Write).is_ok() {
        drain(stream);
    }
}

/// Reads what still comes, for a while: a connection that is closed with bytes unread loses its answer.
fn drain(stream: &mut TcpStream) {
    let deadline = Instant::now() + DRAIN;
    let mut buffer = [0; 16 << 10];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return;
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        303 => "See Other",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(head: &str) -> u16 {
        match parse(head) {
            Ok(_) => 200,
            Err(response) => response.map_or(0, |response| response.status),
        }
    }

    #[test]
    fn requests_are_read_or_refused() {
        let (request, length) = parse("POST /a/b?c=d HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n").unwrap();
        assert_eq!(
            (request.method, request.path.as_str(), request.query.as_str()),
            (Method::Post, "/a/b", "c=d")
        );
        assert_eq!((request.header("host").unwrap(), length), (Some("x"), 12));
        for (head, expected) in [
            ("GET / HTTP/1.1\r\n\r\n", 200),
            ("GET /\r\n\r\n", 400),
            ("GET / HTTP/2\r\n\r\n", 400),
            ("GET  / HTTP/1.1\r\n\r\n", 400),
            ("GET http://x/ HTTP/1.1\r\n\r\n", 400),
            ("DELETE / HTTP/1.1\r\n\r\n", 405),
            ("GET / HTTP/1.1\r\nno header\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\na b: c\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ] {
            assert_eq!(status(head), expected, "{head}");
        }
        let many: String = (0..100).map(|number| format!("h{number}: x\r\n")).collect();
        assert_eq!(status(&format!("GET / HTTP/1.1\r\n{many}\r\n")), 431);
    }
}
