//! What was sent before comes back into the composer by the arrow keys. Pure.

/// Where in the past the composer is, and what stood there before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recall {
    /// Counted from the newest.
    back: usize,
    kept: String,
}

/// One step into the past, from an empty composer or from what was recalled. `sent` is oldest first.
pub fn older(recall: Option<&Recall>, draft: &str, sent: &[String]) -> Option<(Recall, String)> {
    let now = recall.filter(|recall| at(sent, recall.back).is_some_and(|text| text == draft));
    let (back, kept) = match now {
        Some(recall) => (recall.back + 1, recall.kept.clone()),
        None if draft.trim().is_empty() => (0, draft.to_owned()),
        None => return None,
    };
    // The same text several times in a row is one step.
    let text = (back..sent.len()).find(|back| at(sent, *back).is_some_and(|text| text != draft))?;
    at(sent, text).map(|words| (Recall { back: text, kept }, words.clone()))
}

/// One step back towards the present; at its end stands what was there before.
pub fn newer(recall: &Recall, draft: &str, sent: &[String]) -> Option<(Option<Recall>, String)> {
    if at(sent, recall.back).is_none_or(|text| text != draft) {
        return None;
    }
    let next = (0..recall.back).rev().find(|back| at(sent, *back).is_some_and(|text| text != draft));
    Some(match next {
        Some(back) => {
            (Some(Recall { back, kept: recall.kept.clone() }), at(sent, back).cloned().unwrap_or_default())
        }
        None => (None, recall.kept.clone()),
    })
}

fn at(sent: &[String], back: usize) -> Option<&String> {
    sent.len().checked_sub(back + 1).and_then(|index| sent.get(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent() -> Vec<String> {
        ["one", "two", "two", "three"].map(str::to_owned).to_vec()
    }

    #[test]
    fn the_past_is_walked_up_and_down_and_repeats_are_one_step() {
        let (first, text) = older(None, "", &sent()).unwrap();
        assert_eq!(text, "three");
        let (second, text) = older(Some(&first), "three", &sent()).unwrap();
        assert_eq!(text, "two");
        let (third, text) = older(Some(&second), "two", &sent()).unwrap();
        assert_eq!(text, "one");
        assert_eq!(older(Some(&third), "one", &sent()), None, "there is nothing before");
        let (back, text) = newer(&third, "one", &sent()).unwrap();
        assert_eq!(text, "two");
        let (back, text) = newer(&back.unwrap(), "two", &sent()).unwrap();
        assert_eq!(text, "three");
        assert_eq!(newer(&back.unwrap(), "three", &sent()), Some((None, String::new())));
    }

    #[test]
    fn what_is_being_written_is_never_replaced() {
        assert_eq!(older(None, "a thought", &sent()), None);
        let (first, _) = older(None, "", &sent()).unwrap();
        assert_eq!(older(Some(&first), "three, changed", &sent()), None);
        assert_eq!(newer(&first, "three, changed", &sent()), None);
        assert_eq!(older(None, "", &[]), None);
    }
}
