//! Who may ask, and what is answered.
//!
//! The server listens on 127.0.0.1 only; but every user of this machine can reach that, and so can any page in the
//! user's browser. So the address has a token, which becomes a cookie that other sites cannot make the browser send;
//! and a foreign `Host` (another name for this address) or `Origin` is refused in any case.

use super::http::{Method, Request, Response};
use super::worker::{Busy, Desk};
use serde_json::json;

pub(super) const PAGE: &str = include_str!("page.html");
/// Where the page gets the word that its own script and style carry: nothing else in it runs.
pub(super) const NONCE: &str = "NONCE";

/// How to recognise who may ask.
pub(super) struct Guard {
    pub(super) port: u16,
    pub(super) token: String,
}

impl Guard {
    fn cookie(&self) -> String {
        format!("cubist-{}", self.port)
    }

    fn hosts(&self) -> [String; 2] {
        ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port))
    }

    fn is_token(&self, given: &str) -> bool {
        let differences = given.bytes().zip(self.token.bytes()).filter(|(a, b)| a != b).count();
        given.len() == self.token.len() && differences == 0
    }

    /// Whether a request comes from our own page, or has the token.
    fn check(&self, request: &Request) -> Result<(), Response> {
        let Some(host) = request.header("host")? else {
            return Err(Response::refusal(400, "there is no Host"));
        };
        let is_ours = |name: &str| self.hosts().iter().any(|ours| ours.eq_ignore_ascii_case(name));
        if !is_ours(host) {
            return Err(Response::refusal(403, "this is another Host"));
        }
        if let Some(origin) = request.header("origin")?
            && !origin.strip_prefix("http://").is_some_and(is_ours)
        {
            return Err(Response::refusal(403, "this is another Origin"));
        }
        if let Some(site) = request.header("sec-fetch-site")?
            && !matches!(site, "same-origin" | "none")
        {
            return Err(Response::refusal(403, "this comes from another site"));
        }
        let cookies = request.header("cookie")?.unwrap_or_default();
        let name = self.cookie();
        let mut cookies = cookies.split(';').filter_map(|cookie| cookie.trim().split_once('='));
        let by_cookie = cookies.any(|(known, token)| known == name && self.is_token(token));
        let by_header = request
            .header("x-cubist-token")?
            .is_some_and(|token| self.is_token(token));
        match by_cookie || by_header {
            true => Ok(()),
            false => Err(Response::refusal(
                403,
                "This page is for whoever started it: open the address that `cubist serve` has printed.",
            )),
        }
    }
}

/// Answers one request.
pub(super) fn answer(request: &Request, guard: &Guard, desk: &Desk) -> Response {
    respond(request, guard, desk).unwrap_or_else(|refusal| refusal)
}

fn respond(request: &Request, guard: &Guard, desk: &Desk) -> Result<Response, Response> {
    // The address that was printed: the token becomes a cookie, and leaves the address.
    if let (Method::Get, "/", Some(token)) = (request.method, &*request.path, request.query.strip_prefix("token="))
        && guard.is_token(token)
        && request
            .header("host")?
            .is_some_and(|host| guard.hosts().iter().any(|ours| ours == host))
    {
        let cookie = format!("{}={}; HttpOnly; SameSite=Strict; Path=/", guard.cookie(), guard.token);
        return Ok(Response::refusal(303, "this way")
            .with("Location", "/")
            .with("Set-Cookie", cookie));
    }
    guard.check(request)?;
    let expect = |method: Method| match request.method == method {
        true => Ok(()),
        false => {
            let word = if method == Method::Get { "GET" } else { "POST" };
            Err(Response::refusal(405, &format!("this is for {word}")).with("Allow", word))
        }
    };
    match &*request.path {
        "/" => expect(Method::Get).and_then(|()| page()),
        "/api/source" => expect(Method::Get).map(|()| as_it_is(200, &desk.source)),
        "/api/state" => expect(Method::Get).map(|()| json(200, &desk.state())),
        "/api/progress" => expect(Method::Get).map(|()| json(200, &desk.progress())),
        "/api/graph" => expect(Method::Get).map(|()| json(200, &desk.graph())),
        "/api/command" => {
            expect(Method::Post)?;
            match desk.submit(&request.body) {
                Ok(()) => Ok(json(202, &desk.progress())),
                Err(Busy) => Err(Response::refusal(409, "a step is under way")),
            }
        }
        "/api/cancel" => {
            expect(Method::Post)?;
            desk.cancel();
            Ok(json(202, &json!({})))
        }
        "/download/certificate" => {
            expect(Method::Get)?;
            let text = found(desk.certificate(), "there is a certificate after `qed`")?;
            Ok(download(
                "text/plain; charset=utf-8",
                &format!("{}.smt2", desk.stem),
                text,
            ))
        }
        "/download/session" => {
            expect(Method::Get)?;
            Ok(download(
                "text/plain; charset=utf-8",
                &format!("{}.script", desk.stem),
                desk.script(),
            ))
        }
        "/download/graph.svg" => {
            expect(Method::Get)?;
            let svg = found(desk.svg(), "there is no picture yet")?;
            Ok(download("image/svg+xml", &format!("{}.svg", desk.stem), svg))
        }
        _ => Err(Response::refusal(404, "there is nothing here")),
    }
}

fn found<T>(thing: Option<T>, otherwise: &str) -> Result<T, Response> {
    thing.ok_or_else(|| Response::refusal(404, otherwise))
}

fn json(status: u16, value: &serde_json::Value) -> Response {
    as_it_is(status, &super::json::printable(value))
}

/// The source: places count its bytes.
fn as_it_is(status: u16, value: &serde_json::Value) -> Response {
    Response::new(status, "application/json", value.to_string())
}

fn download(kind: &str, name: &str, text: String) -> Response {
    // A name of a file can have quotes in it, or anything else.
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let name: String = name.chars().filter(is_plain).collect();
    Response::new(200, kind, text).with("Content-Disposition", format!("attachment; filename=\"{name}\""))
}

fn page() -> Result<Response, Response> {
    let nonce = super::random().map_err(|_| Response::refusal(503, "there are no random numbers"))?;
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; img-src data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let page = PAGE.replace(NONCE, &nonce);
    Ok(Response::new(200, "text/html; charset=utf-8", page)
        .with("Content-Security-Policy", policy)
        .with("Cross-Origin-Opener-Policy", "same-origin"))
}
