//! `cubist serve`: a session on a page of this machine.
//!
//! [`http`] reads requests, [`routes`] decides on them, and [`worker`] has the session, on a thread of its own:
//! so the page can ask for its progress at any time.

mod http;
mod json;
mod kept;
mod routes;
mod worker;

pub(crate) use kept::page;

use crate::arguments::Serve;
use crate::programs;
use crate::supervise::Control;
use crate::terminal;
use anyhow::Context as _;
use report::Status;
use routes::Guard;
use std::fmt::Write as _;
use std::io::Read as _;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use worker::Desk;

/// Connections at once; further ones are told to come back.
const CONNECTIONS: usize = 128;
const STACK: usize = 256 << 10;
/// How often the main thread looks for Ctrl-C.
const PERIOD: Duration = Duration::from_millis(50);

pub(crate) fn run(arguments: &Serve, control: &Control) -> anyhow::Result<Status> {
    programs::expect_model(&arguments.file, "serve")?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port))
        .with_context(|| format!("cannot listen on port {}", arguments.port))?;
    let guard = Guard {
        port: listener.local_addr()?.port(),
        token: random().context("there are no random numbers")?,
    };
    let address = format!("http://127.0.0.1:{}/?token={}", guard.port, guard.token);
    let (desk, worker) = worker::start(arguments, control)?;
    let desk = Arc::new(desk);
    let shared = Arc::clone(&desk);
    std::thread::Builder::new().spawn(move || listen(&listener, &Arc::new(guard), &shared))?;
    let name = driver::shown_name(&arguments.file);
    terminal::print(&format!("Proving {name} at {address}\nCtrl-C ends it.\n"))?;
    while !control.cancellation.is_cancelled() && !worker.is_finished() {
        std::thread::sleep(PERIOD);
    }
    let _ = control.begin_report();
    Ok(Status::Done)
}

/// 128 random bits.
fn random() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut text = String::new();
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

fn listen(listener: &TcpListener, guard: &Arc<Guard>, desk: &Arc<Desk>) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Too many open files, say: some will be closed.
            std::thread::sleep(PERIOD);
            continue;
        };
        let place = Place::take(&open);
        if place.number >= CONNECTIONS {
            turn_away(&stream);
            continue;
        }
        let (guard, desk) = (Arc::clone(guard), Arc::clone(desk));
        let started = std::thread::Builder::new().stack_size(STACK).spawn(move || {
            serve(stream, &guard, &desk);
            drop(place);
        });
        // The connection is closed with what the thread would have had.
        drop(started);
    }
}

fn serve(mut stream: TcpStream, guard: &Guard, desk: &Desk) {
    let response = match http::read(&mut stream) {
        Ok(request) => routes::answer(&request, guard, desk),
        Err(Some(refusal)) => refusal,
        Err(None) => return,
    };
    http::write(&mut stream, &response);
}

/// Says that there are too many, without waiting for anybody.
fn turn_away(mut stream: &TcpStream) {
    use std::io::Write as _;
    let _ = stream.set_nonblocking(true);
    let _ = stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

/// One of the connections, until it is dropped.
struct Place {
    open: Arc<AtomicUsize>,
    /// How many there were before.
    number: usize,
}

impl Place {
    fn take(open: &Arc<AtomicUsize>) -> Place {
        Place {
            open: Arc::clone(open),
            number: open.fetch_add(1, Ordering::AcqRel),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::AcqRel);
    }
}
