//! What was written so far in answer to a question, and not sent. Kept by the tab, so that it survives a look at another
//! session and a reload; never sent anywhere.

use crate::browser;

/// Before the text: who has emptied a field that came filled has written something, too.
const WRITTEN: char = '=';

/// Nothing if nobody has written anything.
pub fn half_answer(session_id: &str, ask_id: &str) -> Option<String> {
    browser::recall_in_tab(&key(session_id, ask_id))?.strip_prefix(WRITTEN).map(String::from)
}

/// It stays when it was sent: that may fail, and a question that is asked again is the same.
pub fn keep_half_answer(session_id: &str, ask_id: &str, text: &str) {
    browser::remember_in_tab(&key(session_id, ask_id), &format!("{WRITTEN}{text}"));
}

fn key(session_id: &str, ask_id: &str) -> String {
    format!("pilothouse.answer.{session_id}.{ask_id}")
}
