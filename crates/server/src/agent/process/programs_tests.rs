use super::*;

fn line(words: &[&str]) -> Vec<u8> {
    words.iter().flat_map(|word| word.bytes().chain([0])).collect()
}

fn open(words: &[&str]) -> Option<OpenSession> {
    session_in_command_line(&line(words))
}

fn file(name: &str) -> Option<OpenSession> {
    Some(OpenSession::File(name.into()))
}

fn id(id: &str) -> Option<OpenSession> {
    Some(OpenSession::Id(id.to_owned()))
}

#[test]
fn the_arguments_of_pi_name_its_session() {
    for (arguments, session) in [
        (&[][..], Some(OpenSession::Unknown)),
        (&["--session", "/s/a.jsonl"], file("a.jsonl")),
        (&["--session", "a.jsonl"], file("a.jsonl")),
        (&["--session", "01a1"], id("01a1")),
        (&["--mode", "rpc", "--session-id", "01a1"], id("01a1")),
        (&["-p", "--continue", "Hello"], Some(OpenSession::Newest)),
        (&["-c"], Some(OpenSession::Newest)),
        (&["--resume"], Some(OpenSession::Unknown)),
        (&["-r"], Some(OpenSession::Unknown)),
        (&["--fork", "01a1"], Some(OpenSession::Unknown)),
        (&["--no-session", "--session", "/s/a.jsonl"], Some(OpenSession::None)),
        (&["--version"], Some(OpenSession::None)),
        (&["install", "a"], Some(OpenSession::None)),
        // Values and messages are no options.
        (&["--append-system-prompt", "--no-session", "-c"], Some(OpenSession::Newest)),
        (&["--name", "-c"], Some(OpenSession::Unknown)),
        (&["--", "--session", "/s/a.jsonl"], Some(OpenSession::Unknown)),
        (&["Explain install"], Some(OpenSession::Unknown)),
        (&["--session"], Some(OpenSession::Unknown)),
        (&["--session", ""], Some(OpenSession::Unknown)),
        (&["--session-id"], Some(OpenSession::Unknown)),
    ] {
        let direct = ["/usr/local/bin/pi"].iter().chain(arguments).copied().collect::<Vec<_>>();
        assert_eq!(open(&direct), session, "{direct:?}");
        let script = "/lib/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js";
        let node = ["/usr/bin/node", "--no-warnings", "-r", "-x", script];
        let node: Vec<&str> = node.iter().chain(arguments).copied().collect();
        assert_eq!(open(&node), session, "{node:?}");
    }
}

#[test]
fn pi_is_found_under_each_of_its_names_and_nothing_else_is() {
    assert_eq!(session_in_command_line(b"pi\0\0\0\0\0\0"), Some(OpenSession::Unknown), "a title");
    assert_eq!(session_in_command_line(b"pi-rpc\0\0\0"), Some(OpenSession::Unknown), "a title");
    assert_eq!(open(&["bun", "/opt/pi", "-c"]), Some(OpenSession::Newest));
    assert_eq!(open(&["node", "/x/pi-coding-agent/dist/cli.js"]), Some(OpenSession::Unknown));
    for other in [
        &["node", "server.js", "/x/pi-coding-agent/dist/cli.js"][..],
        &["node"],
        &["node", "-r"],
        &["node", "--inspect"],
        &["vim", "/x/pi-coding-agent/README.md"],
        &["pip", "install"],
        &["sh", "-c", "pi"],
        &[""],
    ] {
        assert_eq!(open(other), None, "{other:?}");
    }
}

#[test]
fn hostile_command_lines_are_read_without_harm() {
    for bytes in [&b""[..], b"\0", b"\0\0\0", b"/\0", b"..\0", b"\xff\xfe", b"node\0\xff\0\xff", b"pi"] {
        let _ = session_in_command_line(bytes);
    }
    assert_eq!(session_in_command_line(b"pi"), Some(OpenSession::Unknown), "no NUL at the end");
    assert_eq!(session_in_command_line(b"pi\0\xff\xff\0--session\0/s/\xff.jsonl\0"), {
        Some(OpenSession::File(OsStr::from_bytes(b"\xff.jsonl").to_owned()))
    });
    assert_eq!(session_in_command_line(b"pi\0--session-id\0\xff\0"), Some(OpenSession::Unknown));
    assert_eq!(session_in_command_line(b"pi\0--session\0/..\0"), Some(OpenSession::Unknown));
    let long = line(&["pi", &"x".repeat(300_000), "-c"]);
    assert_eq!(session_in_command_line(&long), Some(OpenSession::Newest));
    let many = line(&["pi"]).into_iter().chain([0; 100_000]).collect::<Vec<u8>>();
    assert_eq!(session_in_command_line(&many), Some(OpenSession::Unknown));
}

#[test]
fn environments_name_the_folder_and_the_session() {
    let environment = line(&["HOMER=/no", "HOME=/home/ada", "X", "PI_SESSION_FILE=/s/t_1.jsonl"]);
    assert_eq!(folder_in(&environment), Some("/home/ada/.pi/agent".into()));
    assert_eq!(session_of_command(&environment), file("t_1.jsonl"));
    let given = line(&["PI_CODING_AGENT_DIR=/srv/pi", "HOME=/home/ada", "PI_SESSION_FILE="]);
    assert_eq!(folder_in(&given), Some("/srv/pi".into()));
    assert_eq!(session_of_command(&given), None);
    assert_eq!((folder_in(b"\xff\0=\0"), session_of_command(b"")), (None, None));
}

#[test]
fn a_deleted_folder_has_its_name() {
    assert_eq!(without_deleted("/a/b (deleted)".into()), PathBuf::from("/a/b"));
    assert_eq!(without_deleted("/a/b".into()), PathBuf::from("/a/b"));
}

/// Processes that look like pi, and are not below this process: they have lost their parent.
#[cfg(target_os = "linux")]
mod running {
    use std::process::{ChildStdin, Command, Stdio};

    use super::*;

    /// Starts a program that leaves this process at once. Returns its input, with which it ends.
    fn start_apart(command: &mut Command) -> ChildStdin {
        let mut starter = command.stdin(Stdio::piped()).spawn().unwrap();
        let input = starter.stdin.take().unwrap();
        starter.wait().unwrap();
        input
    }

    /// Starts a shell under the name of pi.
    fn start(folder: &Path, cwd: &str, variables: &[(&str, &str)]) -> ChildStdin {
        let cwd = folder.join(cwd);
        std::fs::create_dir(&cwd).unwrap();
        let program = cwd.join("pi");
        std::os::unix::fs::symlink("/bin/sh", &program).unwrap();
        let mut command = Command::new("setsid");
        command.arg("--fork").arg(program).args(["-c", "read line", "--session", "/s/t_1.jsonl"]);
        start_apart(command.current_dir(cwd).env_clear().envs(variables.iter().copied()))
    }

    fn found(folder: &Path) -> Vec<Program> {
        let mut found = running_programs("ours");
        found.retain(|program| program.cwd.starts_with(folder));
        found
    }

    #[test]
    fn a_running_pi_is_found_unless_it_is_ours() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let _own = start(&folder, "own", &[("PILOTHOUSE_SESSION", "ours:s-1")]);
        let other = start(&folder, "other", &[("PILOTHOUSE_SESSION", "theirs:s-1"), ("HOME", "/h")]);
        let _plain = start(&folder, "plain", &[("PI_CODING_AGENT_DIR", "/srv/pi")]);
        let programs = loop {
            let found = found(&folder);
            if found.len() == 2 {
                break found;
            }
            std::thread::yield_now();
        };
        let of = |name: &str| programs.iter().find(|program| program.cwd.ends_with(name)).unwrap();
        assert_eq!(of("plain").folder, Some("/srv/pi".into()));
        assert_eq!(of("plain").session, OpenSession::File("t_1.jsonl".into()));
        assert_eq!((of("plain").place, of("other").place), (Place::Unknown, Place::OtherServer));
        assert_eq!(of("other").folder, Some("/h/.pi/agent".into()));
        let age = crate::clock::now_ms().abs_diff(of("plain").started_at);
        assert!(age < 60_000, "it started just now: {age}");
        std::fs::remove_dir_all(folder.join("other")).unwrap();
        assert_eq!(found(&folder).len(), 2, "a deleted folder keeps its name");
        drop(other);
        while found(&folder).len() > 1 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn the_session_of_a_command_that_runs_is_that_of_its_pi() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        std::os::unix::fs::symlink("/bin/sh", folder.join("pi")).unwrap();
        let mut command = Command::new("setsid");
        command.args(["--fork".as_ref(), folder.join("pi").as_os_str()]);
        command.args(["-c", "PI_SESSION_FILE=/s/t_2.jsonl cat; :"]).current_dir(&folder);
        let _input = start_apart(command.env_clear().env("PATH", "/usr/bin:/bin"));
        while !found(&folder).iter().any(|program| program.session == OpenSession::File("t_2.jsonl".into())) {
            std::thread::yield_now();
        }
    }
}
