//! Shows only a part of a request that is too large. Ids, and everything else that an answer repeats, are never shortened:
//! an answer that is too long for that is not offered. Dismissing the request is always possible.

use serde_json::Value;

use super::form::FormField;
use super::{Answer, Ask, Choice};
use crate::conversation::limit::{cut_call_info, cut_value, shorten, shorten_id};
use crate::limits::{ASK_BYTES, ASK_CUT_ANSWERS, ASK_CUT_BYTES, NAME_BYTES};

impl Ask {
    /// The notice about requests that are dismissed because too many are open.
    pub const TOO_MANY: &str =
        "The agent asks too many questions at once. Those that don't fit in are dismissed.";

    /// Cuts a request that is too large, and counts what is left out.
    pub fn cut(&mut self) {
        let before = self.size();
        if before <= ASK_BYTES {
            return;
        }
        let mut longest = ASK_CUT_BYTES;
        loop {
            self.cut_texts(longest);
            if self.size() <= ASK_BYTES {
                break;
            }
            if longest <= NAME_BYTES {
                (self.fields, self.tool) = (Vec::new(), None);
                break;
            }
            longest /= 4;
        }
        let left_out = before.saturating_sub(self.size()).max(1);
        self.left_out = self.left_out.saturating_add(u64::try_from(left_out).unwrap_or(u64::MAX));
    }

    /// The size of the request as it is sent.
    pub fn size(&self) -> usize {
        serde_json::to_string(self).map_or(usize::MAX, |text| text.len())
    }

    fn cut_texts(&mut self, longest: usize) {
        for text in [&mut self.title, &mut self.message, &mut self.placeholder] {
            shorten(text, longest);
        }
        // The user would send back a part of it.
        if self.prefill.len() > longest {
            self.prefill.clear();
        }
        // A shortened address would lead elsewhere.
        if self.url.len() > longest {
            "about:blank".clone_into(&mut self.url);
        }
        self.options.retain(|option| option.len() <= longest);
        self.options.truncate(ASK_CUT_ANSWERS);
        self.choices.retain(|choice| choice.id.len() <= longest);
        self.choices.truncate(ASK_CUT_ANSWERS);
        for Choice { name, .. } in &mut self.choices {
            shorten(name, longest);
        }
        self.fields.retain(|field| field.name.len() <= longest);
        self.fields.truncate(ASK_CUT_ANSWERS);
        self.fields.iter_mut().for_each(|field| cut_field(field, longest));
        if let Some(tool) = &mut self.tool {
            cut_value(&mut tool.tool_args, longest);
            if let Some(details) = &mut tool.details {
                cut_value(details, longest);
            }
            tool.result = None;
            shorten_id(&mut tool.call_id);
            shorten(&mut tool.tool_name, NAME_BYTES);
            cut_call_info(&mut tool.info);
        }
    }

    /// Whether the user sees everything that this answer lets the agent do. Otherwise it is not accepted.
    pub fn allows(&self, answer: &Answer) -> bool {
        self.left_out == 0 || !self.may_be_approved_by(answer)
    }
}

fn cut_field(field: &mut FormField, longest: usize) {
    for text in [&mut field.title, &mut field.description] {
        shorten(text, longest);
    }
    for text in [&mut field.format, &mut field.pattern] {
        if text.len() > longest {
            text.clear();
        }
    }
    if cut_value(&mut field.default, longest) > 0 {
        field.default = Value::Null;
    }
    field.options.retain(|option| option.value.len() <= longest);
    field.options.truncate(ASK_CUT_ANSWERS);
    for option in &mut field.options {
        for text in [&mut option.title, &mut option.description] {
            shorten(text, longest);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::subject::Subject;
    use super::super::{AskKind, ChoiceKind};
    use super::*;
    use crate::conversation::ui_message::ToolStep;

    fn permission(command: String) -> Ask {
        let tool = ToolStep {
            tool_name: "bash".into(),
            tool_args: json!({ "command": command }),
            ..ToolStep::default()
        };
        let choice = |id: &str, kind| Choice { id: id.into(), name: id.into(), kind };
        Ask {
            kind: AskKind::Permission,
            approval: true,
            title: "Run this?".into(),
            choices: vec![choice("yes", ChoiceKind::AllowOnce), choice("no", ChoiceKind::RejectOnce)],
            tool: Some(Box::new(tool)),
            ..Ask::default()
        }
    }

    /// An approval with a command of this length more or less than the largest that is shown.
    fn at_limit(difference: isize) -> Ask {
        let rest = permission(String::new()).size();
        permission("x".repeat((ASK_BYTES - rest).strict_add_signed(difference)))
    }

    #[test]
    fn an_approval_that_is_not_shown_completely_can_only_be_rejected() {
        for difference in [-1, 0] {
            let mut shown = at_limit(difference);
            let before = shown.clone();
            shown.cut();
            assert_eq!(shown, before);
            assert!(shown.allows(&Answer::Choose("yes".into())));
        }
        let mut cut = at_limit(1);
        cut.cut();
        assert!(cut.size() <= ASK_BYTES && cut.left_out > 0);
        assert!(!cut.allows(&Answer::Choose("yes".into())));
        assert!(cut.allows(&Answer::Choose("no".into())) && cut.allows(&Answer::Cancel));
        let subject = Subject::of(&cut);
        assert!(subject.exact.contains(" not shown"), "the place of the cut is marked");
        assert!(subject.text(&cut, "").contains("Not shown: "), "and the size is named");
        let again = cut.clone();
        cut.cut();
        assert_eq!(cut, again);
    }

    #[test]
    fn any_request_becomes_small_enough() {
        let long = || "\u{1}".repeat(ASK_BYTES);
        let option =
            |value: String| super::super::form::FieldOption { value, title: long(), description: long() };
        let field = |name: String| FormField {
            name,
            title: long(),
            description: long(),
            pattern: long(),
            default: json!([long()]),
            options: vec![option(long()), option("a".into())],
            ..FormField::default()
        };
        let mut ask = Ask {
            id: "q".into(),
            title: long(),
            message: long(),
            prefill: long(),
            options: (0..1_000).map(|number| number.to_string()).chain([long()]).collect(),
            fields: vec![field(long()), field("f".into())],
            url: long(),
            ..permission(long())
        };
        ask.tool.as_mut().unwrap().details = Some(json!(vec![0; ASK_BYTES]));
        ask.cut();
        assert!(ask.size() <= ASK_BYTES, "{}", ask.size());
        assert_eq!((ask.id.as_str(), ask.choices.len(), ask.options.len()), ("q", 2, ASK_CUT_ANSWERS));
    }
}
