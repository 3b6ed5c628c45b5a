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
fn an_invalid_configuration_is_an_error_with_its_location() {
    for (toml, part) in [
        ("listen = 5", "near line 1"),
        ("\nlistten = 'x'", "near line 2"),
        ("listen = 'everywhere'", "not an address to listen on"),
        ("cwd = '/nonexistent/folder'", "does not exist"),
        ("[[agent]]\nname = 'demo'\ncommand = 'x'", "two agents named 'demo'"),
        ("[[agent]]\nname = 'x'\ndialect = 'morse'\ncommand = 'x'", "'morse' is not a protocol"),
    ] {
        let error = format!("{:#}", load(toml, |_| {}).unwrap_err());
        assert!(error.contains(part), "{toml}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
}
