//! HTTP/1.1 over a socket, as bare as it gets: tests send what no client library would.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    pub status: u16,
    /// In lower case, without the date.
    pub head: String,
    pub body: String,
}

pub fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time limit");
    stream
}

pub fn head(path: &str, length: usize) -> String {
    format!("POST {path} HTTP/1.1\r\nhost: shop\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n")
}

pub fn post(address: &str, path: &str, body: &str) -> Response {
    raw(address, format!("{}{body}", head(path, body.len())).as_bytes())
}

pub fn get(address: &str, path: &str) -> Response {
    raw(address, format!("GET {path} HTTP/1.1\r\nhost: shop\r\nconnection: close\r\n\r\n").as_bytes())
}

pub fn raw(address: &str, request: &[u8]) -> Response {
    let mut stream = connect(address);
    // The server may answer, and close, before it has read all.
    let _sent = stream.write_all(request);
    answer(&mut stream)
}

pub fn answer(stream: &mut TcpStream) -> Response {
    let mut text = Vec::new();
    let _end = stream.read_to_end(&mut text);
    let text = String::from_utf8(text).expect("text");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let lines = head.lines().map(str::to_lowercase).filter(|line| !line.starts_with("date:"));
    let head = lines.collect::<Vec<_>>().join("\n");
    let body = if head.contains("transfer-encoding: chunked") { unchunk(body) } else { body.into() };
    Response { status, head, body }
}

fn unchunk(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("the size of a chunk");
        body.push_str(&after[..size]);
        rest = &after[(size + 2).min(after.len())..];
        if size == 0 {
            break;
        }
    }
    body
}
