//! The session's settings: thinking level and mode as selects in the title bar, and the agent's other options, one of
//! them in the title bar and more in a popover. On a narrow screen all options are in the popover.

use leptos::prelude::*;
use pilothouse_core::protocol::{AgentMode, OptionChoice, SessionMetaStoreFields};
use web_sys::Element;

use crate::actions::{Actions, use_actions};
use crate::dom::build::{event_value, glyph, on, rebuilt, set_value, switch, with_attributes, with_children};
use crate::dom::element::{append, set, toggle_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::reactive::memo;
use crate::store::server::{Session, Setting};
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::popover::Popover;

/// A setting with the values to choose from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OfferedSetting {
    setting: Setting,
    label: String,
    description: String,
    choices: Vec<OptionChoice>,
}

/// The selects of the title bar.
pub fn title_settings(session: Session) -> AnyView {
    let actions = use_actions();
    let settings = memo(move || {
        let mut settings = levels_and_modes(session);
        // Several options are in the popover only.
        if let [option] = options(session).as_slice()
            && !option.choices.is_empty()
        {
            settings.push(option.clone());
        }
        settings
    });
    rebuilt("contents", move |place| {
        for offered in settings.get() {
            let shown = title_select(actions, session, &offered);
            toggle_class(&shown, "wide-only", matches!(offered.setting, Setting::Option(_)));
            append(place, &shown);
        }
    })
}

/// The button and the popover of the agent's options.
pub fn options_popover(session: Session) -> AnyView {
    let actions = use_actions();
    let options = memo(move || options(session));
    let panel = move || {
        rebuilt("option-rows", move |place| {
            options.with(|options| {
                options.iter().for_each(|option| append_option(place, actions, session, option));
            });
            // The title bar cannot show what the modes do.
            let is_described = |offered: &&OfferedSetting| {
                offered.choices.iter().any(|choice| !choice.description.is_empty())
            };
            let settings = levels_and_modes(session);
            settings
                .iter()
                .filter(is_described)
                .for_each(|mode| append_option(place, actions, session, mode));
        })
    };
    let face = || {
        view! {
            <Glyph icon=Icon::Settings class="short-only" />
            <span class="long-words">"Options"</span>
            <Glyph icon=Icon::Chevron class="down" />
        }
    };
    // A single select is in the title bar of a wide screen.
    let class = memo(move || {
        options.with(|options| match options.as_slice() {
            [] => None,
            [option] if !option.choices.is_empty() => Some("button quiet title-choice narrow-only"),
            _ => Some("button quiet title-choice"),
        })
    });
    (move || {
        class.get().map(|class| {
            view! {
                <Popover label="Options" class face=face.into() panel_class="options" role="dialog" has_text=true>
                    {panel()}
                </Popover>
            }
        })
    })
    .into_any()
}

fn levels_and_modes(session: Session) -> Vec<OfferedSetting> {
    let offered = |setting, label: &str, choices| OfferedSetting {
        setting,
        label: label.to_owned(),
        description: String::new(),
        choices,
    };
    let level = |level: &String| OptionChoice {
        value: level.clone(),
        name: level.clone(),
        description: String::new(),
    };
    let mode = |mode: &AgentMode| OptionChoice {
        value: mode.id.clone(),
        name: mode.name.clone(),
        description: mode.description.clone(),
    };
    session.meta.capabilities().with(|can| {
        let levels = can.thinking_levels.iter().map(level).collect();
        let modes = can.modes.iter().map(mode).collect();
        vec![offered(Setting::ThinkingLevel, "Thinking level", levels), offered(Setting::Mode, "Mode", modes)]
    })
}

fn options(session: Session) -> Vec<OfferedSetting> {
    session.meta.options().with(|options| {
        let offered = options.iter().map(|option| OfferedSetting {
            setting: Setting::Option(option.id.clone()),
            label: if option.name.is_empty() { option.id.clone() } else { option.name.clone() },
            description: option.description.clone(),
            choices: option.choices.clone(),
        });
        offered.collect()
    })
}

/// A select in the title bar. Without choices, just the value.
fn title_select(actions: Actions, session: Session, offered: &OfferedSetting) -> Element {
    let shown = with_text("span", "", "");
    let frame = if offered.choices.is_empty() {
        shown.set_class_name("title-setting");
        shown.clone()
    } else {
        set(&shown, "aria-hidden", "true");
        let chevron = glyph(Icon::Chevron);
        chevron.set_class_name("icon down");
        with_children("span", "title-select", &[&shown, &chevron, &select(actions, session, offered)])
    };
    set(&frame, "title", &offered.label);
    let (setting, choices, label) = (offered.setting.clone(), offered.choices.clone(), offered.label.clone());
    render_effect(Box::new(move || {
        let value = setting.value(session);
        let choice = choices.iter().find(|choice| choice.value == value);
        let name = choice.map_or(value.as_str(), choice_name);
        // "default" alone does not say of what.
        let of_what = label.split(' ').next().filter(|_| name.eq_ignore_ascii_case("default"));
        let prefix = of_what.map(|what| format!("{what}: ")).unwrap_or_default();
        shown.set_text_content(Some(&(prefix + name)));
    }));
    frame
}

/// Appends a row of the popover, which is a select or a switch, and the descriptions of the option and its value.
fn append_option(place: &Element, actions: Actions, session: Session, offered: &OfferedSetting) {
    let setting = offered.setting.clone();
    let row = if offered.choices.is_empty() {
        let (is_on, toggled) = (setting.clone(), setting.clone());
        switch(
            &offered.label,
            move || is_on.value(session) == "true",
            move || {
                let on = untrack(|| toggled.value(session)) == "true";
                actions.set_setting(session, toggled.clone(), (!on).to_string());
            },
        )
    } else {
        let select = select(actions, session, offered);
        select.set_class_name("ask-field");
        with_children("label", "option-row", &[&with_text("span", "", &offered.label), &select])
    };
    append(place, &row);
    let words = with_text("p", "faint", "");
    append(place, &words);
    let offered = offered.clone();
    render_effect(Box::new(move || {
        let value = offered.setting.value(session);
        let choice = offered.choices.iter().find(|choice| choice.value == value);
        let of_choice = choice.map_or("", |choice| &choice.description);
        words.set_text_content(Some([&offered.description, " ", of_choice].concat().trim()));
    }));
}

fn select(actions: Actions, session: Session, offered: &OfferedSetting) -> Element {
    let select = with_attributes("select", &[("aria-label", &offered.label), ("title", &offered.label)]);
    for choice in &offered.choices {
        let option = with_text("option", "", choice_name(choice));
        set(&option, "value", &choice.value);
        set(&option, "title", &choice.description);
        append(&select, &option);
    }
    let (setting, chosen, shown) = (offered.setting.clone(), offered.setting.clone(), select.clone());
    render_effect(Box::new(move || set_value(&shown, &setting.value(session))));
    on(&select, "change", move |event| {
        actions.set_setting(session, chosen.clone(), event_value(&event));
    });
    select
}

fn choice_name(choice: &OptionChoice) -> &str {
    if choice.name.is_empty() { &choice.value } else { &choice.name }
}
