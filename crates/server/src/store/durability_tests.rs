//! A process that stores prompts is killed at any moment: everything that it had acknowledged is on disk.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use pilothouse_core::limits::REMEMBERED_CLIENT_IDS;

use super::Store;
use super::store_tests::{accept, in_flight, prompt};

/// The folder of the store; set for the process that is killed.
const FOLDER: &str = "PILOTHOUSE_TEST_STORE_TO_BE_KILLED";
const ROUNDS: u32 = 12;
const SESSIONS: usize = 3;

#[test]
fn acknowledged_prompts_survive_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..ROUNDS {
        let acknowledged = run_and_kill(folder.path(), round);
        let store = Store::open(folder.path()).unwrap();
        let kept: Vec<Vec<String>> = (0..SESSIONS)
            .map(|session| {
                store.prompts(&format!("s{session}")).into_iter().map(|prompt| prompt.client_id).collect()
            })
            .collect();
        assert!(!acknowledged.is_empty());
        for (number, id) in acknowledged.iter().enumerate() {
            assert!(kept[number % SESSIONS].contains(id), "round {round}: {id} of {}", acknowledged.len());
        }
        let names = std::fs::read_dir(folder.path()).unwrap().flatten();
        assert!(!names.into_iter().any(|entry| entry.file_name().to_string_lossy().contains("broken")));
    }
}

/// Starts this program as the child below, and kills it after a random number of acknowledgements.
fn run_and_kill(folder: &Path, round: u32) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "store::durability_tests::accepts_prompts_until_it_is_killed"])
        .env(FOLDER, folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut random = [0; 2];
    getrandom::fill(&mut random).unwrap();
    let wanted = 1 + usize::from(random[0]) % 100;
    let mut acknowledged = Vec::new();
    let take = |line: String, acknowledged: &mut Vec<String>| {
        acknowledged.extend(line.strip_prefix("accepted ").map(str::to_owned));
    };
    while acknowledged.len() < wanted {
        let line = lines.next().unwrap_or_else(|| panic!("round {round}: the child ended on its own"));
        take(line, &mut acknowledged);
    }
    // Waits for a random time, so that the kill does not always follow an acknowledgement directly.
    (0..u32::from(random[1]) * 200).for_each(|_| std::hint::spin_loop());
    child.kill().unwrap();
    // Lines that it wrote before it died count, too; a line without an end does not.
    let rest: Vec<String> = lines.collect();
    rest.into_iter().for_each(|line| take(line, &mut acknowledged));
    child.wait().unwrap();
    acknowledged
}

/// Not a test on its own: `run_and_kill` starts it as a child process.
#[test]
fn accepts_prompts_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let store = Store::open(Path::new(&folder)).unwrap();
    let life = uuid::Uuid::now_v7().simple().to_string();
    for number in 0.. {
        let (session, id) = (format!("s{}", number % SESSIONS), format!("{life}-{number:06}"));
        store.note_in_flight(&session, Some(in_flight(number as u64, &"so far ".repeat(500))));
        store.write(accept(&session, &prompt(&id, &"text ".repeat(number % 700)))).wait().unwrap();
        // In one write, so that a line is complete or missing.
        let mut output = std::io::stdout().lock();
        output.write_all(format!("\naccepted {id}\n").as_bytes()).unwrap();
        output.flush().unwrap();
        assert!(number < REMEMBERED_CLIENT_IDS * 100, "the process was not killed");
    }
}
