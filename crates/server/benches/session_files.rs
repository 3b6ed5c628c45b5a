//! The cost of session files: listing ten thousand files, opening one with a hundred thousand entries, reading older
//! pages. Prints times and memory without limits, since they depend on the machine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use pilothouse_core::limits::PAGE_ROWS;
use pilothouse_server::clock::now_ms;
use pilothouse_server::history::HistoryFile;
use pilothouse_server::history::files::{Rescan, SessionFiles};
use pilothouse_server::http::blobs::Blobs;
use pilothouse_test_support::process::processor_time;

const FILES: usize = 10_000;
const PROJECTS: usize = 200;
const ENTRIES: usize = 100_000;

fn main() {
    // `cargo test` runs benches once without `--bench`, to check that they work: a small size suffices.
    let is_full_size = std::env::args().any(|argument| argument == "--bench");
    let (files, entries) = if is_full_size { (FILES, ENTRIES) } else { (FILES / 100, ENTRIES / 100) };
    let folder = tempfile::tempdir().unwrap();
    for (files, turns) in [(files, 5), (files, 40)] {
        list_files(&folder.path().join(turns.to_string()), files, turns);
    }
    open_file(&folder.path().join("long.jsonl"), entries);
}

fn list_files(root: &Path, count: usize, turns: usize) {
    let mut bytes = 0;
    for number in 0..count {
        let project = root.join(format!("--project-{}--", number % PROJECTS));
        std::fs::create_dir_all(&project).unwrap();
        let text = conversation(&format!("session-{number}"), turns * 4);
        bytes += text.len();
        std::fs::write(project.join(format!("2026_{number}.jsonl")), text).unwrap();
    }
    println!("{count} files of {} KB:", bytes / count / 1_000);
    let mut files = SessionFiles::default();
    let listed = timed("  listed for the first time", || files.list(root).len());
    assert_eq!(listed, count);
    timed("  listed again, nothing changed", || files.list(root).len());
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    files.rescan(root, Rescan::Missed);
    timed("  rescanned for changes that a watcher may have missed", || {
        files.rescan(root, Rescan::Missed).len()
    });
    let path = root.join("--project-0--/2026_0.jsonl");
    let mut grown = std::fs::File::options().append(true).open(&path).unwrap();
    let name = r#"{"type":"session_info","id":"named","parentId":"x","timestamp":"2026-01-01T00:00:00Z","name":"New"}"#;
    writeln!(grown, "{name}").unwrap();
    let changed = timed("  one grown file reported", || files.rescan(root, Rescan::Paths(&[path])).len());
    assert_eq!((changed, files.open_count()), (1, count + 1));
    println!("  memory: {}", memory());
}

fn open_file(path: &Path, entries: usize) {
    let text = conversation("long", entries);
    println!("a file of {entries} entries, {} MB:", text.len() / 1_000_000);
    std::fs::write(path, text).unwrap();
    println!("  memory: {}", memory());
    let blobs = Blobs::default();
    let mut history = timed("  opened", || HistoryFile::open(path, &[], &blobs).unwrap());
    println!("  memory: {}", memory());
    let total = history.newest_rows().total();
    for part in [0, 1, 2, 3, 4] {
        let before = PAGE_ROWS + (total - PAGE_ROWS) * part / 4;
        let page = timed("  a page", || history.rows(before, PAGE_ROWS).unwrap());
        assert_eq!(page.messages.len(), PAGE_ROWS);
    }
    timed("  the row of an entry", || history.row_of_entry(&format!("e{}", entries / 2)).unwrap());
    let mut file = std::fs::File::options().append(true).open(path).unwrap();
    let last = entries - 1;
    let entry = format!(
        r#"{{"type":"message","id":"new","parentId":"e{last}","message":{{"role":"user","content":"More"}}}}"#
    );
    writeln!(file, "{entry}").unwrap();
    timed("  one entry appended and followed", || history.follow());
    println!("  memory: {}", memory());
}

/// A session file of turns with a question, a tool call, its result and an answer.
fn conversation(id: &str, entries: usize) -> String {
    let now = now_ms();
    let mut text = format!(
        r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/project"}}"#
    );
    text.push('\n');
    let words = "It reads the file, looks for the function and changes what it returns. ".repeat(6);
    for number in 0..entries {
        let parent = if number == 0 { "null".to_owned() } else { format!("\"e{}\"", number - 1) };
        let message = match number % 4 {
            0 => format!(
                r#"{{"role":"user","content":[{{"type":"text","text":"Question {number}: {words}"}}],"timestamp":{now}}}"#
            ),
            1 => format!(
                r#"{{"role":"assistant","content":[{{"type":"thinking","thinking":"{words}"}},{{"type":"toolCall","id":"call_{number}","name":"bash","arguments":{{"command":"grep -rn function src"}}}}],"stopReason":"toolUse","usage":{{"input":1,"output":2}},"timestamp":{now}}}"#
            ),
            2 => format!(
                r#"{{"role":"toolResult","toolCallId":"call_{}","toolName":"bash","content":[{{"type":"text","text":"{words}{words}"}}],"isError":false,"timestamp":{now}}}"#,
                number - 1
            ),
            _ => format!(
                r#"{{"role":"assistant","content":[{{"type":"text","text":"{words}"}}],"stopReason":"stop","usage":{{"input":1,"output":2}},"timestamp":{now}}}"#
            ),
        };
        writeln!(
            text,
            r#"{{"type":"message","id":"e{number}","parentId":{parent},"timestamp":"2026-01-01T00:00:00.000Z","message":{message}}}"#
        )
        .unwrap();
    }
    text
}

fn timed<T>(label: &str, work: impl FnOnce() -> T) -> T {
    let (start, cpu_start) = (Instant::now(), cpu_ms());
    let result = work();
    let (elapsed, cpu) = (start.elapsed().as_secs_f64() * 1_000.0, cpu_ms() - cpu_start);
    println!("{label}: {elapsed:.1} ms, {cpu} ms of CPU time");
    result
}

/// The CPU time of this process on all cores, which unlike elapsed time does not depend on other processes.
fn cpu_ms() -> u64 {
    processor_time(std::process::id()) * 10
}

/// The current and the peak resident memory.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |name: &str| {
        status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned()
    };
    format!("{} now, {} peak", line("VmRSS:"), line("VmHWM:"))
}
