use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::conversation::controller::MessageController;
use crate::conversation::message::StopReason;
use crate::conversation::ui_message::{Image, Kind, UiMessage};
use crate::protocol::event::{Event, Update};

#[test]
fn the_size_of_a_cut_is_said_in_a_few_letters() {
    for (bytes, text) in [
        (1, "… 1 bytes not shown"),
        (999, "… 999 bytes not shown"),
        (1_000, "… 1 kB not shown"),
        (999_999, "… 999 kB not shown"),
        (1_049_999, "… 1.0 MB not shown"),
        (12_345_678, "… 12.3 MB not shown"),
    ] {
        assert_eq!(mark(bytes), text);
    }
    assert!(mark(999_999_999_999).len() <= MARK_BYTES);
}

#[test]
fn a_short_text_is_cut_only_above_its_limit_and_only_once() {
    for (length, is_cut) in [(99, false), (100, false), (101, true), (10_000, true)] {
        let mut text =
            "ü".repeat(length).split_at(length / 2 * 2).0.to_owned() + if length % 2 > 0 { "x" } else { "" };
        let whole = text.clone();
        shorten(&mut text, 100);
        assert_eq!(text != whole, is_cut, "{length}");
        assert!(text.len() <= 100 && text.ends_with(" not shown") == is_cut);
        let once = text.clone();
        shorten(&mut text, 100);
        assert_eq!(text, once);
    }
}

#[test]
fn a_long_id_is_shortened_and_stays_different_from_others() {
    let id = |last: char| format!("{}{last}", "ü".repeat(ID_BYTES));
    let shortened = |mut id: String| {
        shorten_id(&mut id);
        id
    };
    assert_eq!(shortened("x".repeat(ID_BYTES)), "x".repeat(ID_BYTES));
    let [one, other] = ['a', 'b'].map(|last| shortened(id(last)));
    assert!(one.len() <= ID_BYTES && one != other);
    assert_eq!(shortened(one.clone()), one);
    assert_eq!(shortened(id('a')), one, "the same id stays the same");
}

#[test]
fn the_longest_texts_of_a_value_are_cut_and_the_others_stay() {
    let value = json!({"path": "a.rs", "edits": [{"old": "x".repeat(5_000), "new": "y".repeat(3_000)}, 7]});
    let size = size_with(&value, usize::MAX);
    let mut whole = value.clone();
    assert_eq!(cut_value(&mut whole, size), 0);
    assert_eq!(whole, value);
    let mut cut = value.clone();
    assert!(cut_value(&mut cut, size - 1) > 0);
    assert_eq!(
        (&cut["path"], &cut["edits"][1], &cut["edits"][0]["new"]),
        (&json!("a.rs"), &json!(7), &value["edits"][0]["new"])
    );
    assert!(cut["edits"][0]["old"].as_str().unwrap().ends_with(" not shown"));
    let once = cut.clone();
    assert_eq!(cut_value(&mut cut, size - 1), 0);
    assert_eq!(cut, once);
    let mut many = json!(vec![0; 10_000]);
    assert!(cut_value(&mut many, 5_000) > 0);
    assert!(many["…"].as_str().unwrap().ends_with(" not shown"));
}

fn reply(parts: Vec<Part>) -> Message {
    Message::Assistant {
        content: Content(parts),
        stop_reason: StopReason::Stop,
        error_message: None,
        timestamp: None,
    }
}

/// The rows after the message has ended, without the reducer's own state.
fn rows_of(message: Message) -> Vec<UiMessage> {
    MessageController::load_messages_from_history([message]).rows().to_vec()
}

#[test]
fn the_cap_of_a_row_is_exact() {
    for (length, left_out) in [(ROW_TEXT_BYTES - 1, 0), (ROW_TEXT_BYTES, 0), (ROW_TEXT_BYTES + 1, 1)] {
        let rows = rows_of(reply(vec![Part::Text { text: "x".repeat(length) }]));
        assert_eq!((rows[0].text.len() as u64 + left_out, rows[0].left_out), (length as u64, left_out));
    }
}

#[test]
fn every_kind_of_row_is_cut_with_a_mark() {
    let long = || "x".repeat(ROW_TEXT_BYTES + 10);
    let text = |text: String| Content(vec![Part::Text { text }]);
    let result = BashResult { output: long(), ..BashResult::default() };
    let mut controller = MessageController::default();
    let events = [
        Event::MessageEnd {
            message: Message::User { content: text(long()), client_id: None, timestamp: None },
        },
        Event::MessageEnd { message: reply(vec![Part::Thinking { thinking: long() }]) },
        Event::ToolExecutionStart {
            tool_call_id: "c".into(),
            tool_name: "read".into(),
            args: json!({"a": "x".repeat(3 * ROW_VALUE_BYTES)}),
        },
        Event::ToolExecutionEnd {
            tool_call_id: "c".into(),
            tool_name: "read".into(),
            result: ToolOutput {
                text: long(),
                details: Some(json!([long(), long()])),
                ..ToolOutput::default()
            },
            is_error: false,
            duration_ms: None,
        },
        Event::MessageEnd { message: Message::BashExecution { result } },
        Event::MessageEnd { message: Message::Custom { content: text(long()), display: true } },
        Event::MessageEnd { message: Message::Answered { words: long() } },
        Event::ProcessExit {
            code: Some(1),
            signal: None,
            expected: false,
            stderr: vec![long()],
            shell_lives: false,
        },
    ];
    for event in events {
        controller.handle_server_event(event);
    }
    let rows = controller.rows();
    assert_eq!(rows.len(), 7, "{rows:?}");
    for row in rows {
        let shown = serde_json::to_string(row).unwrap();
        assert!(shown.len() < 6 * ROW_TEXT_BYTES, "{:?} has {} bytes", row.kind, shown.len());
        assert!(row.bytes_left_out() == 10 || shown.contains(" not shown"), "{:?} has no mark", row.kind);
    }
    let step = rows[2].tool_step.as_ref().unwrap();
    assert!(step.tool_args["a"].as_str().unwrap().ends_with("MB not shown"));
    assert!(size_with(step.details.as_ref().unwrap(), usize::MAX) <= ROW_VALUE_BYTES);
}

#[test]
fn a_message_of_too_many_parts_ends_with_a_note() {
    let part = |number: usize| Part::Text { text: number.to_string() };
    let mut streamed = MessageController::default();
    streamed.handle_server_event(Event::AgentStart);
    for content_index in 0..MESSAGE_PARTS + 5 {
        let update = Update::TextDelta { content_index, delta: content_index.to_string() };
        streamed.handle_server_event(Event::MessageUpdate { update });
    }
    let before = streamed.rows().to_vec();
    assert_eq!(before.len(), MESSAGE_PARTS);
    assert_eq!(before.last().unwrap().text, REST_OF_MESSAGE);
    let message = reply((0..MESSAGE_PARTS + 5).map(part).collect());
    assert!(streamed.handle_server_event(Event::MessageEnd { message: message.clone() }).is_empty());
    assert_eq!(rows_of(message), before);
    let images = (0..=ROW_IMAGES).map(|_| Part::Image(Image::default())).collect();
    assert_eq!(rows_of(reply(images)).last().unwrap().text, REST_OF_MESSAGE);
    let large = (0..5).map(|_| Part::Text { text: "x".repeat(ROW_TEXT_BYTES) }).collect();
    assert_eq!(rows_of(reply(large)).len(), 5, "four of a megabyte, and the note");
}

/// A text around the cap, of letters of all lengths and some blank space at its beginning.
fn long_text() -> impl Strategy<Value = String> {
    let blank = prop_oneof![Just(0), LEADING_BLANK_BYTES - 6..LEADING_BLANK_BYTES + 6];
    let letters = prop::sample::select(vec!["x", "ü", "€", "𝄞", "aü€𝄞"]);
    let blanks = prop::sample::select(vec![" ", "\u{3000}", " \u{3000}\n"]);
    (blanks, blank, letters, -9_isize..2_000).prop_map(|(blanks, blank, letters, difference)| {
        let length = ROW_TEXT_BYTES.strict_add_signed(difference) / letters.len();
        blanks.repeat(blank / blanks.len()) + &letters.repeat(length)
    })
}

/// Divides a text at these places, each in thousandths of its length or counted from the cap.
fn divide(text: &str, places: &[(usize, isize)]) -> Vec<String> {
    let mut cuts: Vec<usize> = places
        .iter()
        .map(|(part, from_cap)| match part {
            0..800 => text.len() * part / 800,
            _ => ROW_TEXT_BYTES.saturating_add_signed(*from_cap).min(text.len()),
        })
        .map(|place| text.floor_char_boundary(place))
        .chain([0, text.len()])
        .collect();
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| text[pair[0]..pair[1]].to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Pieces, the whole at the end, the whole from history, and a message that was cut before all have the same rows.
    #[test]
    fn however_a_long_text_arrives_its_row_is_the_same(
        text in long_text(),
        places in prop::collection::vec((0_usize..1_000, -9_isize..9), 0..8),
    ) {
        let message = reply(vec![Part::Text { text: text.clone() }, Part::Text { text: "after".into() }]);
        let from_history = rows_of(message.clone());
        let mut cut = message.clone();
        cut_message(&mut cut);
        prop_assert_eq!(&rows_of(cut.clone()), &from_history);
        let mut twice = cut.clone();
        cut_message(&mut twice);
        prop_assert_eq!(&twice, &cut);

        let mut streamed = MessageController::default();
        let mut collected = BlockText::default();
        streamed.handle_server_event(Event::AgentStart);
        for delta in divide(&text, &places) {
            collected.append(&delta);
            let update = Update::TextDelta { content_index: 0, delta };
            streamed.handle_server_event(Event::MessageUpdate { update });
        }
        let update = Update::TextDelta { content_index: 1, delta: "after".into() };
        streamed.handle_server_event(Event::MessageUpdate { update });
        prop_assert_eq!(streamed.rows(), &from_history[..]);
        prop_assert_eq!(&BlockText::of(text, 0), &collected);
        for ended in [message, cut] {
            let mut streamed = streamed.clone();
            let report = streamed.handle_server_event(Event::MessageEnd { message: ended });
            prop_assert!(report.is_empty(), "the end changes nothing: {report:?}");
        }
        // Only the size of text beyond a row's limit is sent.
        let mut dropped = MessageController::default();
        dropped.handle_server_event(Event::AgentStart);
        for delta in divide(&collected.text, &places).into_iter().chain(["y".repeat(100), "ü".into()]) {
            let mut event = Event::MessageUpdate { update: Update::TextDelta { content_index: 0, delta } };
            let whole = event.clone();
            let mut expected = dropped.clone();
            expected.handle_server_event(whole.clone());
            dropped.drop_left_out_text(&mut event);
            prop_assert!(event == whole || dropped.rows()[0].left_out > 0);
            dropped.handle_server_event(event);
            prop_assert_eq!(&dropped, &expected);
        }
        // A connection reports only the size of the text that it leaves out.
        let mut counted = MessageController::default();
        counted.handle_server_event(Event::AgentStart);
        for update in [
            Update::TextDelta { content_index: 0, delta: collected.text },
            Update::LeftOut { content_index: 0, bytes: collected.left_out },
        ] {
            counted.handle_server_event(Event::MessageUpdate { update });
        }
        prop_assert_eq!(&counted.rows()[0], &from_history[0]);
    }

    #[test]
    fn a_long_result_has_the_same_row_live_and_from_history(
        texts in prop::collection::vec((0_usize..40).prop_map(|tenths| "ü€\n".repeat(ROW_TEXT_BYTES / 60 * tenths)), 0..4),
    ) {
        let parts: Vec<Value> = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
        let result = ToolOutput::from_value(json!({ "content": parts }));
        let (tool_call_id, tool_name) = ("c".to_owned(), "read".to_owned());
        let mut live = MessageController::default();
        live.handle_server_event(Event::ToolExecutionEnd {
            tool_call_id: tool_call_id.clone(), tool_name: tool_name.clone(), result, is_error: false, duration_ms: None,
        });
        let content = Content(texts.into_iter().map(|text| Part::Text { text }).collect());
        let stored = rows_of(Message::ToolResult {
            tool_call_id, tool_name, content, details: None, is_error: false, duration_ms: None, call: None,
        });
        prop_assert_eq!(live.rows(), &stored[..]);
        prop_assert!(stored[0].kind == Kind::Tool);
    }
}
