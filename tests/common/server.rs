//! Real servers for tests: started on a Unix socket, without persistence, stopped when dropped.
//!
//! The environment's `EVALINT_SERVERS` is the folder of their programs, each called like `redis-7.2.4`; `tools/test` sets it.

#![allow(dead_code, reason = "each test uses a part")]

use std::{
    env, fmt, fs,
    io::{self, BufRead, BufReader, Write},
    net::TcpListener,
    os::unix::net::UnixStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

/// How long a server may take to come up or to answer.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Server {
    child: Child,
    folder: PathBuf,
    connection: BufReader<UnixStream>,
}

/// A reply of RESP2.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reply {
    Status(String),
    Error(String),
    Integer(i64),
    Bulk(Vec<u8>),
    Nil,
    Array(Vec<Reply>),
}

/// The names of the installed servers, as `redis@7.2.4`.
pub(crate) fn installed() -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(programs()).expect("EVALINT_SERVERS can be read; run tools/test") {
        let name = entry.expect("the folder can be read").file_name();
        if let Some((product, version)) = name.to_string_lossy().split_once('-') {
            names.push(format!("{product}@{version}"));
        }
    }
    names.sort();
    names
}

/// The newest installed server of a product.
pub(crate) fn newest(product: &str) -> String {
    let version = |name: &str| -> Vec<u32> {
        let version = name.split_once('@').map_or("", |(_, version)| version);
        version.split('.').filter_map(|part| part.parse().ok()).collect()
    };
    let names = installed().into_iter().filter(|name| name.starts_with(product));
    names.max_by_key(|name| version(name)).unwrap_or_else(|| panic!("no {product} is installed; run tools/test"))
}

/// Is the server's version below this major one?
pub(crate) fn is_older_than(name: &str, major: u32) -> bool {
    let version = name.split_once('@').map_or("", |(_, version)| version);
    version.split('.').next().and_then(|major| major.parse().ok()).is_none_or(|its: u32| its < major)
}

fn programs() -> PathBuf {
    env::var_os("EVALINT_SERVERS").expect("EVALINT_SERVERS names the servers' folder; run tools/test").into()
}

impl Server {
    /// Starts the server that is called like `redis@7.2.4`.
    pub(crate) fn start(name: &str) -> Result<Server, String> {
        Server::launch(name, &[])
    }

    /// Starts a cluster of one node that holds all slots.
    pub(crate) fn start_cluster(name: &str) -> Result<Server, String> {
        let mut server = Server::launch(name, &["--cluster-enabled", "yes", "--port", &free_port().to_string()])?;
        let slots = (0..16384).map(|slot: u32| slot.to_string());
        let add: Vec<String> = ["CLUSTER".into(), "ADDSLOTS".into()].into_iter().chain(slots).collect();
        server.command(&add);
        let start = Instant::now();
        while !server.command(&["CLUSTER", "INFO"]).to_string().contains("cluster_state:ok") {
            if PATIENCE < start.elapsed() {
                return Err(format!("the cluster of {name} does not come up"));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    fn launch(name: &str, options: &[&str]) -> Result<Server, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let program = programs().join(name.replace('@', "-"));
        if !program.exists() {
            return Err(format!("no server {name} is installed; there are {}", installed().join(", ")));
        }
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("evalint-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let socket = folder.join("s");
        let child = Command::new(&program)
            .args(["--port", "0", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no"])
            .arg("--unixsocket")
            .arg(&socket)
            .arg("--dir")
            .arg(&folder)
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut child = child.map_err(|error| format!("{}: {error}", program.display()))?;
        let start = Instant::now();
        let connection = loop {
            if let Ok(connection) = UnixStream::connect(&socket) {
                break connection;
            }
            if PATIENCE < start.elapsed() || !matches!(child.try_wait(), Ok(None)) {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("{name} does not come up"));
            }
            thread::sleep(Duration::from_millis(10));
        };
        connection.set_read_timeout(Some(PATIENCE)).expect("the time is not zero");
        Ok(Server { child, folder, connection: BufReader::new(connection) })
    }

    /// Sends a command and waits for its reply.
    pub(crate) fn command(&mut self, words: &[impl AsRef<[u8]>]) -> Reply {
        let mut out = format!("*{}\r\n", words.len()).into_bytes();
        for word in words {
            let word = word.as_ref();
            out.extend(format!("${}\r\n", word.len()).bytes());
            out.extend_from_slice(word);
            out.extend(b"\r\n");
        }
        let reply = self.connection.get_mut().write_all(&out).and_then(|()| Reply::read(&mut self.connection));
        reply.unwrap_or_else(|error| Reply::Error(format!("no reply: {error}")))
    }

    pub(crate) fn forget_everything(&mut self) {
        self.command(&["FLUSHALL"]);
        self.command(&["SCRIPT", "FLUSH"]);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A port whose cluster bus, 10,000 above, is a port too.
fn free_port() -> u16 {
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        if port < 55_000 {
            return port;
        }
    }
}

impl Reply {
    fn read(from: &mut impl BufRead) -> io::Result<Reply> {
        let mut line = Vec::new();
        from.read_until(b'\n', &mut line)?;
        let [kind, rest @ ..] = line.trim_ascii_end() else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let text = String::from_utf8_lossy(rest).into_owned();
        let number = || text.parse::<i64>().map_err(|_| io::Error::other("a length is no number"));
        Ok(match kind {
            b'+' => Reply::Status(text),
            b'-' => Reply::Error(text),
            b':' => Reply::Integer(number()?),
            b'$' | b'*' if number()? < 0 => Reply::Nil,
            b'$' => {
                let mut bulk = vec![0; number()? as usize + 2];
                from.read_exact(&mut bulk)?;
                bulk.truncate(bulk.len() - 2);
                Reply::Bulk(bulk)
            }
            b'*' => Reply::Array((0..number()?).map(|_| Reply::read(from)).collect::<io::Result<_>>()?),
            _ => return Err(io::Error::other("the reply is not RESP2")),
        })
    }

    /// The lines of an array's element: the first after its number, the others below it.
    fn print(&self, indent: usize, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reply::Status(text) => f.write_str(text),
            Reply::Error(text) => write!(f, "(error) {text}"),
            Reply::Integer(number) => write!(f, "(integer) {number}"),
            Reply::Nil => f.write_str("(nil)"),
            Reply::Bulk(bulk) => quoted(bulk, f),
            Reply::Array(elements) if elements.is_empty() => f.write_str("(empty array)"),
            Reply::Array(elements) => {
                let width = elements.len().to_string().len();
                for (at, element) in elements.iter().enumerate() {
                    if at != 0 {
                        write!(f, "\n{:indent$}", "")?;
                    }
                    write!(f, "{:>width$}) ", at + 1)?;
                    element.print(indent + width + 2, f)?;
                }
                Ok(())
            }
        }
    }
}

/// As redis-cli prints it to a terminal.
impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.print(0, f)
    }
}

fn quoted(bytes: &[u8], f: &mut fmt::Formatter) -> fmt::Result {
    f.write_str("\"")?;
    for &byte in bytes {
        match byte {
            b'\\' => f.write_str("\\\\")?,
            b'"' => f.write_str("\\\"")?,
            b'\n' => f.write_str("\\n")?,
            b'\r' => f.write_str("\\r")?,
            b'\t' => f.write_str("\\t")?,
            7 => f.write_str("\\a")?,
            8 => f.write_str("\\b")?,
            b' '..=b'~' => write!(f, "{}", char::from(byte))?,
            _ => write!(f, "\\x{byte:02x}")?,
        }
    }
    f.write_str("\"")
}
