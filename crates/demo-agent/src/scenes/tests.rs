use std::path::Path;

use super::*;

fn setting() -> Setting {
    Setting {
        folder: PathBuf::from("/project"),
        scratch: PathBuf::from("/scratch"),
        pace: Pace::Instant,
        terse: false,
        thinking_level: "medium",
        model: "demo-guide",
        user_messages: 1,
        tokens: 100,
        compactable: true,
    }
}

/// Plays a scene to its end; every tool answers with the same text.
fn play(prompt: &str, setting: &Setting, answer: &str) -> Vec<Reply> {
    let mut scene = for_prompt(prompt, &[]);
    let mut replies = Vec::new();
    let mut results = Vec::new();
    for _ in 0..100 {
        let Step::Reply(reply) = scene.next(setting, &results) else { continue };
        let calls = reply.blocks.iter().filter(|block| matches!(block, Block::Call(_))).count();
        results = vec![CallResult { text: answer.to_owned(), is_error: false }; calls];
        replies.push(reply);
        if calls == 0 {
            return replies;
        }
    }
    panic!("{prompt} does not end");
}

fn text(replies: &[Reply]) -> String {
    let blocks = replies.iter().flat_map(|reply| &reply.blocks);
    blocks
        .filter_map(|block| if let Block::Text(text) = block { Some(text.as_str()) } else { None })
        .collect()
}

#[test]
fn every_scene_ends_and_says_something() {
    for command in COMMANDS.iter().filter(|command| command.name != "error") {
        for terse in [false, true] {
            let setting = Setting { terse, ..setting() };
            let replies = play(&format!("/{} file", command.name), &setting, "README.md\nsrc/");
            let last = replies.last().unwrap();
            assert!(!last.blocks.is_empty(), "/{}", command.name);
        }
    }
}

#[test]
fn every_scene_is_the_same_every_time() {
    for command in &COMMANDS {
        let prompt = format!("/{} retry", command.name);
        let once = play(&prompt, &setting(), "x");
        assert_eq!(format!("{once:?}"), format!("{:?}", play(&prompt, &setting(), "x")));
    }
}

#[test]
fn a_prompt_finds_its_command() {
    assert!(is_slash_command("/tour"));
    assert!(is_slash_command("  /long 3  "));
    for text in ["tour", "/tourist", "/", "//tour", "see /tour", "/home/user"] {
        assert!(!is_slash_command(text), "{text}");
    }
}

#[test]
fn an_unknown_command_is_named_but_a_path_is_not() {
    let later = Setting { user_messages: 2, ..setting() };
    assert!(text(&play("/launch now", &later, "")).contains("There is no `/launch` here"));
    assert!(!text(&play("/home/user is my folder", &later, "")).contains("There is no"));
}

#[test]
fn later_answers_differ_and_come_round() {
    let answer = |user_messages| text(&play("Hello", &Setting { user_messages, ..setting() }, ""));
    let first = answer(1);
    assert!(first.contains("built-in demo") && first.contains("--agent"));
    assert_ne!(answer(2), first);
    assert_ne!(answer(2), answer(3));
    assert_eq!(answer(2), answer(6));
}

#[test]
fn images_are_described() {
    let images = [ImageInfo { mime_type: "image/png".to_owned(), bytes: 12 }];
    let mut scene = for_prompt("Look", &images);
    let Step::Reply(reply) = scene.next(&setting(), &[]) else { panic!("no reply") };
    assert!(text(&[reply]).contains("One image arrived with your message:\n\n1. `image/png`, 12 bytes"));
}

#[test]
fn thinking_grows_with_its_level() {
    let length = |thinking_level| {
        let replies = play("/think", &Setting { thinking_level, ..setting() }, "");
        let blocks = replies.into_iter().flat_map(|reply| reply.blocks);
        blocks.map(|block| if let Block::Thinking(text) = block { text.len() } else { 0 }).sum::<usize>()
    };
    assert_eq!(length("off"), 0);
    assert!(length("minimal") < length("low") && length("low") < length("medium"));
    assert!(length("medium") < length("high"));
}

#[test]
fn a_file_worth_reading_is_found_in_a_listing() {
    assert_eq!(tools::readable_file("a.bin\nnotes.txt\nREADME.md").as_deref(), Some("README.md"));
    assert_eq!(tools::readable_file("a.bin\nnotes.txt").as_deref(), Some("notes.txt"));
    assert_eq!(tools::readable_file("README.md/\na.bin"), None);
    assert_eq!(tools::readable_file("(empty directory)"), None);
}

#[test]
fn scenes_write_only_to_the_scratch_folder() {
    for command in &COMMANDS {
        let replies = play(&format!("/{} retry", command.name), &setting(), "README.md");
        for block in replies.into_iter().flat_map(|reply| reply.blocks) {
            if let Block::Call(Call { tool: Tool::Write { path, .. } | Tool::Edit { path, .. }, .. }) = block
            {
                assert!(Path::new(&path).starts_with("/scratch"), "/{}: {path}", command.name);
            }
        }
    }
}

#[test]
fn arguments_are_spelled_in_pi_s_order() {
    let write = Tool::Write { path: "a".to_owned(), content: "b".to_owned() };
    assert_eq!(write.arguments_text(), r#"{"path":"a","content":"b"}"#);
    let edits = vec![Replacement { old_text: "x".to_owned(), new_text: "y".to_owned() }];
    let edit = Tool::Edit { path: "a".to_owned(), edits };
    assert_eq!(edit.arguments_text(), r#"{"path":"a","edits":[{"oldText":"x","newText":"y"}]}"#);
    let bash = Tool::Bash { command: "ls".to_owned(), ask_first: true };
    assert_eq!(bash.arguments_text(), r#"{"command":"ls"}"#);
    let question = Tool::AskUser(Question::Input { title: "t".to_owned(), placeholder: "p".to_owned() });
    assert_eq!(question.arguments_text(), r#"{"method":"input","title":"t","placeholder":"p"}"#);
}
