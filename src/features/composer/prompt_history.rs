//! Recalling sent prompts into the composer with the arrow keys. Pure.

/// The recalled prompt, and the draft it replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recall {
    /// How many prompts back, counted from the newest.
    back: usize,
    /// The draft before the first recall.
    original: String,
}

/// One step towards older prompts, from an empty composer or an unchanged recalled prompt. `sent` is oldest first.
pub fn older(recall: Option<&Recall>, draft: &str, sent: &[String]) -> Option<(Recall, String)> {
    let current = recall.filter(|recall| prompt(sent, recall.back).is_some_and(|text| text == draft));
    let (back, original) = match current {
        Some(recall) => (recall.back + 1, recall.original.clone()),
        None if draft.trim().is_empty() => (0, draft.to_owned()),
        None => return None,
    };
    // The same text several times in a row is one step.
    let back = (back..sent.len()).find(|back| prompt(sent, *back).is_some_and(|text| text != draft))?;
    prompt(sent, back).map(|text| (Recall { back, original }, text.clone()))
}

/// One step towards newer prompts. Behind the newest one is the original draft.
pub fn newer(recall: &Recall, draft: &str, sent: &[String]) -> Option<(Option<Recall>, String)> {
    if prompt(sent, recall.back).is_none_or(|text| text != draft) {
        return None;
    }
    let next = (0..recall.back).rev().find(|back| prompt(sent, *back).is_some_and(|text| text != draft));
    Some(match next {
        Some(back) => {
            let text = prompt(sent, back).cloned().unwrap_or_default();
            (Some(Recall { back, original: recall.original.clone() }), text)
        }
        None => (None, recall.original.clone()),
    })
}

fn prompt(sent: &[String], back: usize) -> Option<&String> {
    sent.len().checked_sub(back + 1).and_then(|index| sent.get(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent() -> Vec<String> {
        ["one", "two", "two", "three"].map(str::to_owned).to_vec()
    }

    #[test]
    fn arrows_step_through_prompts_and_repeats_are_one_step() {
        let (first, text) = older(None, "", &sent()).unwrap();
        assert_eq!(text, "three");
        let (second, text) = older(Some(&first), "three", &sent()).unwrap();
        assert_eq!(text, "two");
        let (third, text) = older(Some(&second), "two", &sent()).unwrap();
        assert_eq!(text, "one");
        assert_eq!(older(Some(&third), "one", &sent()), None, "the oldest prompt");
        let (back, text) = newer(&third, "one", &sent()).unwrap();
        assert_eq!(text, "two");
        let (back, text) = newer(&back.unwrap(), "two", &sent()).unwrap();
        assert_eq!(text, "three");
        assert_eq!(newer(&back.unwrap(), "three", &sent()), Some((None, String::new())));
    }

    #[test]
    fn an_edited_draft_is_never_replaced() {
        assert_eq!(older(None, "a thought", &sent()), None);
        let (first, _) = older(None, "", &sent()).unwrap();
        assert_eq!(older(Some(&first), "three, changed", &sent()), None);
        assert_eq!(newer(&first, "three, changed", &sent()), None);
        assert_eq!(older(None, "", &[]), None);
    }
}
