use std::path::Path;

use super::*;

fn sample_context() -> SceneContext {
    SceneContext {
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

/// Plays a scene to its end. Every tool returns the same text.
fn play(prompt: &str, context: &SceneContext, answer: &str) -> Vec<Reply> {
    let mut scene = for_prompt(prompt, &[]);
    let mut replies = Vec::new();
    let mut results = Vec::new();
    for _ in 0..100 {
        let Step::Reply(reply) = scene.next(context, &results) else { continue };
        let calls = reply.blocks.iter().filter(|block| matches!(block, Block::Call(_))).count();
        results = vec![CallResult { text: answer.to_owned(), is_error: false }; calls];
        replies.push(reply);
        if calls == 0 {
            return replies;
        }
    }
    panic!("the scene of {prompt} does not end");
}

fn text(replies: &[Reply]) -> String {
    let blocks = replies.iter().flat_map(|reply| &reply.blocks);
    blocks
        .filter_map(|block| if let Block::Text(text) = block { Some(text.as_str()) } else { None })
        .collect()
}

#[test]
fn every_scene_ends_with_content() {
    for command in COMMANDS.iter().filter(|command| command.name != "error") {
        for terse in [false, true] {
            let context = SceneContext { terse, ..sample_context() };
            let replies = play(&format!("/{} file", command.name), &context, "README.md\nsrc/");
            let last = replies.last().unwrap();
            assert!(!last.blocks.is_empty(), "/{}", command.name);
        }
    }
}

#[test]
fn every_scene_is_deterministic() {
    for command in &COMMANDS {
        let prompt = format!("/{} retry", command.name);
        let once = play(&prompt, &sample_context(), "x");
        assert_eq!(format!("{once:?}"), format!("{:?}", play(&prompt, &sample_context(), "x")));
    }
}

#[test]
fn slash_commands_are_recognised() {
    assert!(is_slash_command("/tour"));
    assert!(is_slash_command("  /long 3  "));
    for text in ["tour", "/tourist", "/", "//tour", "see /tour", "/home/user"] {
        assert!(!is_slash_command(text), "{text}");
    }
}

#[test]
fn unknown_commands_are_reported_but_paths_are_not() {
    let later = SceneContext { user_messages: 2, ..sample_context() };
    assert!(text(&play("/launch now", &later, "")).contains("Unknown command: `/launch`"));
    assert!(!text(&play("/home/user is my folder", &later, "")).contains("Unknown command"));
}

#[test]
fn later_answers_differ_and_repeat() {
    let answer =
        |user_messages| text(&play("Hello", &SceneContext { user_messages, ..sample_context() }, ""));
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
    let Step::Reply(reply) = scene.next(&sample_context(), &[]) else {
        panic!("the first step is not a reply")
    };
    assert!(text(&[reply]).contains("One image arrived with your message:\n\n1. `image/png`, 12 bytes"));
}

#[test]
fn thinking_grows_with_its_level() {
    let length = |thinking_level| {
        let replies = play("/think", &SceneContext { thinking_level, ..sample_context() }, "");
        let blocks = replies.into_iter().flat_map(|reply| reply.blocks);
        blocks.map(|block| if let Block::Thinking(text) = block { text.len() } else { 0 }).sum::<usize>()
    };
    assert_eq!(length("off"), 0);
    assert!(length("minimal") < length("low") && length("low") < length("medium"));
    assert!(length("medium") < length("high"));
}

#[test]
fn a_readable_file_is_found_in_a_listing() {
    assert_eq!(tools::readable_file("a.bin\nnotes.txt\nREADME.md").as_deref(), Some("README.md"));
    assert_eq!(tools::readable_file("a.bin\nnotes.txt").as_deref(), Some("notes.txt"));
    assert_eq!(tools::readable_file("README.md/\na.bin"), None);
    assert_eq!(tools::readable_file("(empty directory)"), None);
}

#[test]
fn scenes_write_only_to_the_scratch_folder() {
    for command in &COMMANDS {
        let replies = play(&format!("/{} retry", command.name), &sample_context(), "README.md");
        for block in replies.into_iter().flat_map(|reply| reply.blocks) {
            if let Block::Call(Call { tool: Tool::Write { path, .. } | Tool::Edit { path, .. }, .. }) = block
            {
                assert!(Path::new(&path).starts_with("/scratch"), "/{}: {path}", command.name);
            }
        }
    }
}

#[test]
fn arguments_have_the_field_order_of_pi() {
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
