//! An agent's request to the user: an approval or a question. The server decides who may answer, and when.

pub mod auto_approve;
pub mod consent;
mod cut;
pub mod form;
pub mod subject;

use serde::{Deserialize, Serialize};

use crate::conversation::ui_message::{ToolStep, is_zero};
use crate::json::FromJson;
use crate::render::visible_text::visible_string;
use consent::Consent;
use form::{FormAnswers, FormField};

/// An open question or approval request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJson)]
pub struct Ask {
    pub id: String,
    pub kind: AskKind,
    /// The agent waits for permission to act, as opposed to information.
    #[serde(default)]
    pub approval: bool,
    pub title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub placeholder: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefill: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The answers to a permission request, each with its meaning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// The fields of a form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FormField>,
    /// The tool call that a permission request is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Box<ToolStep>>,
    /// A page that the user has to visit before answering.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// The hash of everything that is displayed, set by the server. The answer repeats it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub shown: String,
    /// The bytes that are not shown because the request is too large.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// The form in which the user answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    Select,
    #[default]
    Confirm,
    Input,
    Editor,
    /// An approval whose answers carry their meaning: see [`Choice`].
    Permission,
    /// Several fields: see [`FormField`].
    Form,
}

/// One answer to a permission request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct Choice {
    /// The agent's id of the answer. Names may repeat, ids do not.
    pub id: String,
    pub name: String,
    pub kind: ChoiceKind,
}

/// The meaning that an agent declares for an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
    /// No meaning, or one that this version does not know.
    #[default]
    #[serde(other)]
    Other,
}

impl Choice {
    /// The meaning of the answer, judging by its kind and its name together: some agents declare every answer as
    /// `allow_once`, including the one called "No". None if the two contradict each other or say nothing.
    pub fn consent(&self) -> Option<Consent> {
        let name = Consent::of(&self.name);
        let (approves, declines) =
            (name.is_some_and(Consent::is_yes), name.is_some_and(|consent| !consent.is_yes()));
        match self.kind {
            ChoiceKind::AllowOnce | ChoiceKind::AllowAlways if declines => name,
            ChoiceKind::AllowOnce if name == Some(Consent::BroadYes) => name,
            ChoiceKind::AllowOnce => Some(Consent::Yes),
            ChoiceKind::AllowAlways => Some(Consent::BroadYes),
            ChoiceKind::RejectOnce | ChoiceKind::RejectAlways if approves => None,
            ChoiceKind::RejectOnce => Some(Consent::No),
            ChoiceKind::RejectAlways => Some(Consent::BroadNo),
            ChoiceKind::Other => name,
        }
    }

    /// Whether the answer counts for later requests although its name does not say so.
    pub fn is_lasting_unsaid(&self) -> bool {
        let name = self.name.to_lowercase();
        let says_so = ["always", "never", "session", "don't ask", "don’t ask"];
        matches!(self.kind, ChoiceKind::AllowAlways | ChoiceKind::RejectAlways)
            && !says_so.iter().any(|words| name.contains(words))
    }
}

impl AskKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Confirm => "confirm",
            Self::Input => "input",
            Self::Editor => "editor",
            Self::Permission => "permission",
            Self::Form => "form",
        }
    }
}

/// The user's answer. Everything but an explicit answer is `Cancel`, which never counts as approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// One of the options, or the id of one of the choices.
    Choose(String),
    Confirm(bool),
    Text(String),
    Form(FormAnswers),
    Cancel,
}

impl Ask {
    /// Whether this is an approval request, judging by the kind and the wording of the options.
    pub fn is_approval_request(&self) -> bool {
        match self.kind {
            // Visiting a page is not an approval of an action.
            AskKind::Confirm => self.url.is_empty(),
            AskKind::Permission => true,
            AskKind::Select => consent::offers_yes_and_no(&self.options),
            AskKind::Input | AskKind::Editor | AskKind::Form => false,
        }
    }

    /// Whether this answer declines the request. A choice with unclear wording does not: the agent interprets it.
    pub fn is_declined_by(&self, answer: &Answer) -> bool {
        match answer {
            Answer::Cancel | Answer::Confirm(false) => true,
            Answer::Choose(choice) if self.approval => {
                self.consent_of(choice).is_some_and(|consent| !consent.is_yes())
            }
            _ => false,
        }
    }

    /// Whether this answer may let the agent act. One with unclear wording may.
    pub fn may_be_approved_by(&self, answer: &Answer) -> bool {
        self.approval && !self.is_declined_by(answer)
    }

    /// The answer as the user knows it: the name of its button.
    pub fn name_of(&self, answer: &Answer) -> String {
        match answer {
            Answer::Confirm(true) => "Approve".to_owned(),
            Answer::Confirm(false) => "Reject".to_owned(),
            Answer::Cancel => "Dismiss".to_owned(),
            Answer::Choose(id) => self.choice(id).map_or_else(|| id.clone(), |choice| choice.name.clone()),
            Answer::Text(_) | Answer::Form(_) => "Submit".to_owned(),
        }
    }

    /// The meaning of choosing this option. None if it neither approves nor declines.
    pub fn consent_of(&self, choice: &str) -> Option<Consent> {
        match self.kind {
            AskKind::Permission => self.choice(choice)?.consent(),
            _ => Consent::of(choice),
        }
    }

    /// The choice with this id.
    pub fn choice(&self, id: &str) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.id == id)
    }

    /// The answer with this meaning, if exactly one has it.
    pub fn only_answer(&self, consent: Consent) -> Option<Answer> {
        if !self.approval {
            return None;
        }
        match (self.kind, consent) {
            (AskKind::Confirm, Consent::Yes) => Some(Answer::Confirm(true)),
            (AskKind::Confirm, Consent::No) => Some(Answer::Confirm(false)),
            (AskKind::Select, _) => {
                let index = consent::only_option(&self.options, consent)?;
                self.options.get(index).cloned().map(Answer::Choose)
            }
            (AskKind::Permission, _) => {
                let mut fitting = self.choices.iter().filter(|choice| choice.consent() == Some(consent));
                let only = fitting.next().filter(|_| fitting.next().is_none())?;
                Some(Answer::Choose(only.id.clone()))
            }
            _ => None,
        }
    }

    /// The text of the row that records the answer.
    pub fn answered_text(&self, answer: &Answer) -> String {
        let title = visible_lines(&self.title);
        match answer {
            Answer::Confirm(true) if self.approval => format!("You approved: {title}"),
            Answer::Confirm(true) => format!("You said yes: {title}"),
            Answer::Confirm(false) | Answer::Cancel if self.approval => format!("You rejected: {title}"),
            Answer::Confirm(false) if self.kind == AskKind::Form || !self.url.is_empty() => {
                format!("You declined: {title}")
            }
            Answer::Confirm(false) => format!("You said no: {title}"),
            Answer::Cancel => format!("You didn't answer: {title}"),
            Answer::Choose(id) if self.kind == AskKind::Permission => self.permission_text(&title, id),
            Answer::Choose(choice) => format!("{title}\nYou chose: {}", visible_lines(choice)),
            Answer::Form(answers) => form::answered_text(&title, &self.fields, answers),
            Answer::Text(text) if text.trim().is_empty() => format!("{title}\nYou sent an empty answer."),
            Answer::Text(text) => format!("{title}\nYou answered: {}", visible_lines(text)),
        }
    }

    fn permission_text(&self, title: &str, id: &str) -> String {
        let choice = self.choice(id).cloned().unwrap_or_default();
        let name = visible_lines(&choice.name);
        match choice.consent() {
            Some(Consent::Yes) => format!("You approved: {title}"),
            Some(Consent::No) => format!("You rejected: {title}"),
            _ if choice.is_lasting_unsaid() => format!("{title}\nYou chose: {name} (always)"),
            _ => format!("{title}\nYou chose: {name}"),
        }
    }

    /// The text of the row for a request that was approved without asking the user.
    pub fn auto_approved_text(&self) -> String {
        format!("Approved automatically: {}", visible_lines(&self.title))
    }

    /// The text of the row for a request that expired without an answer.
    pub fn expired_text(&self) -> String {
        format!("Expired without an answer: {}", visible_lines(&self.title))
    }

    /// The text of the row for a request that the agent withdrew.
    pub fn withdrawn_text(&self) -> String {
        format!("No longer needed by the agent: {}", visible_lines(&self.title))
    }

    /// The text of the row for a request whose agent process ended.
    pub fn process_ended_text(&self) -> String {
        format!("Not answered because the agent exited: {}", visible_lines(&self.title))
    }

    /// Whether the answer has the form that this request asks for.
    pub fn accepts(&self, answer: &Answer) -> bool {
        match (self.kind, answer) {
            (_, Answer::Cancel)
            | (AskKind::Confirm, Answer::Confirm(_))
            | (AskKind::Form, Answer::Confirm(false))
            | (AskKind::Input | AskKind::Editor, Answer::Text(_)) => true,
            (AskKind::Select, Answer::Choose(choice)) => self.options.contains(choice),
            (AskKind::Permission, Answer::Choose(choice)) => self.choice(choice).is_some(),
            (AskKind::Form, Answer::Form(answers)) => form::check(&self.fields, answers).is_ok(),
            _ => false,
        }
    }
}

/// The text with hidden characters made visible, keeping its line breaks.
fn visible_lines(text: &str) -> String {
    text.trim().lines().map(visible_string).collect::<Vec<_>>().join("\n")
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum ClosedBy {
    Answer,
    Declined,
    Expired,
    Stopped,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recorded_outcome_shows_hidden_characters() {
        let ask = Ask {
            id: "q".into(),
            kind: AskKind::Confirm,
            approval: true,
            title: "Run this?\nrm \u{202e}x".into(),
            ..Ask::default()
        };
        let approved = ask.answered_text(&Answer::Confirm(true));
        assert!(approved.starts_with("You approved: Run this?\nrm ") && !approved.contains('\u{202e}'));
        assert!(ask.answered_text(&Answer::Cancel).starts_with("You rejected"));
        let question = Ask { approval: false, ..ask };
        assert!(question.answered_text(&Answer::Confirm(false)).starts_with("You said no"));
        assert!(question.answered_text(&Answer::Choose("red".into())).ends_with("You chose: red"));
        assert!(!question.is_declined_by(&Answer::Choose("Never".into())), "not an approval request");
        assert!(question.is_declined_by(&Answer::Cancel));
        let options = vec!["Allow".to_owned(), "Block".to_owned()];
        let choice = Ask { kind: AskKind::Select, approval: true, options, ..question.clone() };
        assert!(choice.is_approval_request() && choice.is_declined_by(&Answer::Choose("Block".into())));
        assert!(!choice.is_declined_by(&Answer::Choose("Allow".into())));
        assert!(question.expired_text().starts_with("Expired"));
        assert!(question.process_ended_text().contains("exited"));
    }

    #[test]
    fn a_choice_is_judged_by_its_kind_and_its_name_together() {
        let consent = |kind, name: &str| Choice { id: "c".into(), name: name.into(), kind }.consent();
        use ChoiceKind::{AllowAlways, AllowOnce, Other, RejectAlways, RejectOnce};
        assert_eq!(consent(AllowOnce, "Allow"), Some(Consent::Yes));
        assert_eq!(consent(AllowOnce, "Manually approve edits"), Some(Consent::Yes));
        assert_eq!(consent(AllowOnce, "No"), Some(Consent::No), "every answer is declared as allow_once");
        assert_eq!(consent(AllowOnce, "Yes, and don't ask again"), Some(Consent::BroadYes));
        assert_eq!(consent(AllowAlways, "Allow"), Some(Consent::BroadYes));
        assert_eq!(consent(RejectOnce, "No, and tell it what to do"), Some(Consent::No));
        assert_eq!(consent(RejectOnce, "Allow"), None, "a contradiction means nothing");
        assert_eq!(consent(RejectAlways, "Never"), Some(Consent::BroadNo));
        assert_eq!(consent(Other, "Yes"), Some(Consent::Yes));
        assert_eq!(consent(Other, "Purple"), None);
    }

    #[test]
    fn a_lasting_choice_says_that_it_is_one() {
        use ChoiceKind::{AllowAlways, AllowOnce, RejectAlways};
        let unsaid =
            |kind, name: &str| Choice { id: "c".into(), name: name.into(), kind }.is_lasting_unsaid();
        assert!(unsaid(AllowAlways, "Allow") && unsaid(RejectAlways, "Reject"));
        assert!(!unsaid(AllowOnce, "Allow"));
        for name in ["Always Allow", "Allow for this session", "Yes, and don’t ask again", "Never"] {
            assert!(!unsaid(AllowAlways, name), "{name}");
        }
        let choices = vec![Choice { id: "1".into(), name: "Allow".into(), kind: AllowAlways }];
        let ask = Ask { kind: AskKind::Permission, approval: true, choices, ..Ask::default() };
        assert!(ask.answered_text(&Answer::Choose("1".into())).ends_with("You chose: Allow (always)"));
    }

    #[test]
    fn a_form_can_be_declined_but_not_confirmed() {
        let form = Ask { kind: AskKind::Form, title: "Which?".into(), ..Ask::default() };
        let no = Answer::Confirm(false);
        assert!(form.accepts(&no) && form.is_declined_by(&no) && !form.accepts(&Answer::Confirm(true)));
        assert_eq!(form.answered_text(&no), "You declined: Which?");
    }

    #[test]
    fn a_permission_is_answered_by_the_id_of_a_choice() {
        let choice = |id: &str, name: &str, kind| Choice { id: id.into(), name: name.into(), kind };
        let ask = Ask {
            kind: AskKind::Permission,
            approval: true,
            title: "Edit a.txt".into(),
            choices: vec![
                choice("1", "Always", ChoiceKind::AllowAlways),
                choice("2", "Allow", ChoiceKind::AllowOnce),
                choice("3", "Reject", ChoiceKind::RejectOnce),
            ],
            ..Ask::default()
        };
        let chosen = |id: &str| Answer::Choose(id.into());
        assert!(ask.accepts(&chosen("2")) && !ask.accepts(&chosen("Allow")));
        assert_eq!(ask.only_answer(Consent::Yes), Some(chosen("2")));
        assert_eq!(ask.only_answer(Consent::No), Some(chosen("3")));
        assert!(ask.is_declined_by(&chosen("3")) && !ask.is_declined_by(&chosen("1")));
        assert_eq!(ask.answered_text(&chosen("2")), "You approved: Edit a.txt");
        assert_eq!(ask.answered_text(&chosen("1")), "Edit a.txt\nYou chose: Always");
        assert_eq!(ask.answered_text(&Answer::Cancel), "You rejected: Edit a.txt");
    }
}
