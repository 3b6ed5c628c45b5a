use super::*;

fn load(toml: &str, change: impl FnOnce(&mut ServeArguments)) -> Result<Config> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, toml).unwrap();
    let mut arguments = ServeArguments { config: Some(file), ..ServeArguments::default() };
    change(&mut arguments);
    Config::load(arguments)
}

#[test]
fn the_command_line_takes_precedence_over_the_file() {
    let toml = "listen = '127.0.0.1:1'\nopen = false\n[[agent]]\nname = 'a'\ncommand = 'one --x'\n";
    let config = load(toml, |arguments| {
        arguments.listen = Some("127.0.0.1:0".into());
        arguments.agents = vec!["a=pi:two".into()];
    })
    .unwrap();
    assert_eq!(config.listen.port(), 0);
    assert_eq!(config.agents[0].command, ["two"]);
    assert!(!config.open);
    assert!(config.agents.last().unwrap().demo, "the demo is always the last agent");
}

#[test]
fn a_file_can_set_the_environment_of_an_agent() {
    let toml = "[[agent]]\nname = 'mine'\ncommand = ['node', 'a b.js']\nenv = { PI_CODING_AGENT_DIR = '/agents/mine' }\n";
    let config = load(toml, |_| {}).unwrap();
    assert_eq!(config.agents[0].command, ["node", "a b.js"]);
    assert_eq!(config.agents[0].folder, Path::new("/agents/mine"));
}

#[test]
fn an_agent_can_have_limits_and_a_sandbox() {
    let toml = "[[agent]]\nname = 'mine'\ncommand = '/opt/bin/codex-acp'\nprotocol = 'acp'\nmemory_limit = '4G'\n\
                process_limit = 200\nsandbox = 'bubblewrap'\nsandbox_write = ['~/.cargo', '/srv']\nnetwork = false\n\
                [[agent]]\nname = 'other'\ncommand = 'x'\nsandbox = 'off'\n";
    let config = load(toml, |arguments| arguments.data_dir = Some("/data".into())).unwrap();
    let [mine, other] = &config.agents[..2] else { panic!() };
    assert_eq!(mine.limits, Limits { memory: Some(4 << 30), processes: Some(200) });
    let sandbox = mine.sandbox.as_ref().unwrap();
    let home = expand_home("~");
    let writable = [home.join(".cargo"), "/srv".into(), home.join(".codex")];
    assert_eq!(sandbox.writable, writable, "the state of a known program is writable, too");
    assert!(!sandbox.network);
    assert_eq!(sandbox.hidden[0], Path::new("/data"));
    assert!(sandbox.hidden[1].ends_with("config.toml") && sandbox.hidden[1].is_absolute());
    assert_eq!((&other.sandbox, &other.limits), (&None, &Limits::default()));
}

#[test]
fn a_sandboxed_pi_can_write_its_sessions() {
    let toml = "[[agent]]\nname = 'work'\ncommand = 'node pi.js'\nenv = { PI_CODING_AGENT_DIR = '/pi' }\n\
                sandbox = 'bubblewrap'\n";
    let config = load(toml, |_| {}).unwrap();
    let sandbox = config.agents[0].sandbox.as_ref().unwrap();
    assert_eq!((&sandbox.writable[..], sandbox.network), (&[PathBuf::from("/pi")][..], true));
}

#[test]
fn an_invalid_configuration_is_an_error_with_its_location() {
    for (toml, part) in [
        ("listen = 5", "near line 1"),
        ("\nlistten = 'x'", "near line 2"),
        ("listen = 'everywhere'", "not an address to listen on"),
        ("cwd = '/nonexistent/folder'", "does not exist"),
        ("[[agent]]\nname = 'demo'\ncommand = 'x'", "two agents named 'demo'"),
        ("[[agent]]\nname = 'x'\ndialect = 'morse'\ncommand = 'x'", "'morse' is not a protocol"),
        ("\n[[agent]]\nname = 'x'\ncommand = 'x'\nmemory_limit = '4 potatoes'", "near line 5"),
        ("[[agent]]\nname = 'x'\ncommand = 'x'\nmemory_limit = '0G'", "write it like 512M or 4G"),
        ("[[agent]]\nname = 'x'\ncommand = 'x'\nmemory_limit = '99999999999T'", "is not an amount of memory"),
        ("[[agent]]\nname = 'x'\ncommand = 'x'\nprocess_limit = 0", "near line 4"),
        ("[[agent]]\nname = 'x'\ncommand = 'x'\nsandbox = 'docker'", "near line 4"),
        ("[[agent]]\nname = 'x'\ncommand = 'x'\nsandbox = 'docker'", "`bubblewrap`"),
        ("\n\n[[agent]]\nname = 'x'\ncommand = 'x'\nnetwork = false", "near line 3"),
        ("[[agent]]\nname = 'x'\ncommand = 'x'\nnetwork = false", "but no sandbox"),
        (
            "[[agent]]\nname = 'x'\ncommand = 'x'\nsandbox = 'bubblewrap'\nsandbox_write = ['a']",
            "'a' in sandbox_write is not an absolute path",
        ),
    ] {
        let error = format!("{:#}", load(toml, |_| {}).unwrap_err());
        assert!(error.contains(part), "{toml}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn the_allowed_roots_come_from_the_file_and_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    for name in ["one", "two", "three"] {
        std::fs::create_dir(top.join(name)).unwrap();
    }
    let path = |name: &str| top.join(name);
    let toml = format!("allowed_roots = ['{}']", path("one").display());
    let config = load(&toml, |arguments| arguments.allowed_roots = vec![path("two")]).unwrap();
    assert_eq!(config.allowed_roots.existing(), [path("two"), path("one")]);
    assert_eq!(config.cwd, path("two"), "the current folder is not allowed");
    let error = |change: fn(&mut ServeArguments, PathBuf), name: &str| {
        load(&toml, |arguments| change(arguments, path(name))).unwrap_err().to_string()
    };
    let named = error(|arguments, path| arguments.cwd = Some(path), "three");
    assert!(named.contains("is outside the allowed roots; add it with --allowed-root"), "{named}");
    let missing = error(|arguments, path| arguments.allowed_roots = vec![path], "missing");
    assert!(missing.contains("missing is not a folder"), "{missing}");
    let config = load("", |arguments| arguments.cwd = Some(path("three"))).unwrap();
    assert!(config.allowed_roots.existing().contains(&path("three")), "a named folder is allowed");
}
