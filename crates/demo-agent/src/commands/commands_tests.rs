use super::*;

fn unreadable(line: &str) -> (Option<Value>, Option<&'static str>, String) {
    let Err(Unreadable { id, command, error }) = Command::read(line.as_bytes()) else {
        panic!("{line} is a command")
    };
    (id, command, error)
}

#[test]
fn a_command_keeps_its_id_whatever_its_type() {
    for id in ["7", "\"seven\"", "null", "[1]"] {
        let line = format!("{{\"id\":{id},\"type\":\"get_state\"}}\r");
        let Ok(command) = Command::read(line.as_bytes()) else { panic!("{line} is no command") };
        assert_eq!(command.id.unwrap().to_string(), id);
        assert_eq!(command.kind, "get_state");
    }
}

#[test]
fn what_has_no_type_is_undefined() {
    for line in ["null", "42", "[]", "\"text\"", "{}", r#"{"type":7}"#] {
        let (id, command, error) = unreadable(line);
        assert_eq!((id, command, error.as_str()), (None, None, "Unknown command: undefined"), "{line}");
    }
    assert_eq!(unreadable(r#"{"id":"x"}"#).0, Some(Value::from("x")));
}

#[test]
fn what_is_no_json_is_said_to_be_so() {
    for line in ["", "{not json", "\u{feff}{}"] {
        let (_, command, error) = unreadable(line);
        assert_eq!(command, Some("parse"));
        assert!(error.starts_with("Failed to parse command: "), "{error}");
    }
    assert!(Command::read(b"{\"type\":\"\xff\"}").is_err());
}
