use super::*;
use crate::agent::process::programs::Place;

const MINUTE: u64 = 60_000;
const NOW: u64 = 1_800_000_000_000;

/// A session in which a program was prompted a minute ago, and is at work.
fn file() -> SessionFile {
    SessionFile {
        id: "01a1f538-cd68".to_owned(),
        path: "/pi/sessions/--p--/t_01a1f538-cd68.jsonl".into(),
        cwd: "/p".into(),
        folder: "/pi".into(),
        turn: LastTurn {
            session_created: NOW - 30 * MINUTE,
            prompted: NOW - MINUTE,
            written: NOW - MINUTE / 2,
            is_open: true,
        },
        is_ours: false,
    }
}

/// The same session after the turn.
fn rested() -> SessionFile {
    SessionFile { turn: LastTurn { is_open: false, ..file().turn }, ..file() }
}

fn program(process: i32, minutes_ago: u64, session: OpenSession) -> Program {
    Program {
        id: ProgramId { process, started: 1 },
        started_at: NOW - minutes_ago * MINUTE,
        cwd: "/p".into(),
        folder: Some("/pi".into()),
        place: Place::Terminal,
        session,
    }
}

fn found(file: &SessionFile, running: &[Program]) -> Vec<i32> {
    file.programs(running, Folder::default()).iter().map(|program| program.id.process).collect()
}

#[test]
fn a_program_that_names_the_session_has_it_open() {
    let named = |session| found(&SessionFile { is_ours: true, ..rested() }, &[program(1, 0, session)]).len();
    assert_eq!(named(OpenSession::File("t_01a1f538-cd68.jsonl".into())), 1);
    assert_eq!(named(OpenSession::Id("01a1f538".to_owned())), 1);
    assert_eq!(named(OpenSession::Newest), 1);
    assert_eq!(named(OpenSession::File("t_other.jsonl".into())), 0);
    assert_eq!(named(OpenSession::Id("01a2".to_owned())), 0);
    let elsewhere = Program { cwd: "/q".into(), ..program(1, 0, OpenSession::Newest) };
    assert_eq!(found(&rested(), std::slice::from_ref(&elsewhere)), [0; 0], "another folder");
    let file_elsewhere = Program { session: OpenSession::File("t_01a1f538-cd68.jsonl".into()), ..elsewhere };
    assert_eq!(found(&rested(), &[file_elsewhere]), [1], "a file is named wherever the program runs");
    let newer = Folder { has_newer: true, later: 0 };
    let newest = [program(1, 0, OpenSession::Newest)];
    assert!(rested().programs(&newest, newer).is_empty(), "the newest is another one");
}

#[test]
fn a_program_with_hidden_arguments_has_the_session_in_which_it_was_prompted() {
    let running = [program(1, 2, OpenSession::Unknown)];
    assert_eq!(found(&rested(), &running), [1]);
    assert_eq!(
        found(&rested(), &[program(1, 0, OpenSession::Unknown)]),
        [0; 0],
        "it started after the prompt"
    );
    assert_eq!(
        found(&SessionFile { is_ours: true, ..rested() }, &running),
        [0; 0],
        "the prompt was sent here"
    );
    assert_eq!(found(&SessionFile { folder: "/other".into(), ..rested() }, &running), [0; 0]);
    let turn = LastTurn { session_created: NOW - MINUTE / 4, ..rested().turn };
    assert_eq!(found(&SessionFile { turn, ..rested() }, &running), [0; 0], "a fork begins with a copy");
    let left = Folder { later: 1, has_newer: true };
    assert!(rested().programs(&running, left).is_empty(), "it has begun another session since");
    let two = [program(1, 2, OpenSession::Unknown), program(2, 31, OpenSession::Unknown)];
    assert_eq!(rested().programs(&two, left).len(), 2, "one of two");
    assert_eq!(found(&rested(), &two), [2, 1], "the one that created the session comes first");
}

#[test]
fn a_recent_open_turn_of_another_program_counts_without_a_process() {
    let none = Takeovers::default();
    let at = |file: &SessionFile, now| file.elsewhere(&[], Folder::default(), &none, now);
    assert!(at(&file(), NOW).unwrap().remaining > Duration::from_secs(500));
    assert_eq!(at(&rested(), NOW), None);
    assert_eq!(at(&SessionFile { is_ours: true, ..file() }, NOW), None, "our own run was interrupted");
    assert_eq!(at(&file(), NOW + 11 * MINUTE), None, "it is too long ago");
    assert_eq!(at(&file(), NOW - 60 * MINUTE), None, "its clock is wrong");
}

#[test]
fn a_takeover_holds_until_the_program_writes_or_another_one_appears() {
    let mut taken = Takeovers::default();
    let first = [program(1, 2, OpenSession::Unknown)];
    let asks = |file: &SessionFile, running: &[Program], taken: &Takeovers| {
        file.elsewhere(running, Folder::default(), taken, NOW).is_some()
    };
    assert!(asks(&file(), &first, &taken));
    taken.add(&file(), &file().programs(&first, Folder::default()));
    assert!(!asks(&file(), &first, &taken));
    assert!(!asks(&file(), &[], &taken), "it has gone");
    let second = program(2, 1, OpenSession::File("t_01a1f538-cd68.jsonl".into()));
    assert!(asks(&file(), std::slice::from_ref(&second), &taken), "another one appeared");
    let reused = Program { id: ProgramId { process: 1, started: 2 }, ..first[0].clone() };
    assert!(asks(&file(), &[reused], &taken), "its id was reused");
    let written = SessionFile { turn: LastTurn { written: NOW, ..file().turn }, ..file() };
    assert!(asks(&written, &first, &taken), "it has written");
    let ours = SessionFile { is_ours: true, ..written.clone() };
    assert!(!asks(&ours, &first, &taken), "we have written");
    taken.add(&file(), &[&second]);
    assert!(!asks(&file(), &[first[0].clone(), second], &taken), "both were taken over");
    taken.forget(&file().id);
    assert!(asks(&file(), &first, &taken));
    for number in 0..=REMEMBERED_TAKEOVERS {
        taken.add(&SessionFile { id: number.to_string(), ..file() }, &[]);
    }
    assert_eq!((taken.0.len(), taken.of("0").is_none()), (REMEMBERED_TAKEOVERS, true));
}
