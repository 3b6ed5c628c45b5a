//! Where a person writes: prompts, steering, shell commands.

mod attachment_tray;
mod mention;
mod mention_menu;
mod prompt_history;
mod slash;
mod slash_menu;

use leptos::html;
use leptos::prelude::*;
use pilothouse_core::SessionState;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::protocol::SessionMetaStoreFields;

use self::attachment_tray::AttachmentTray;
use self::mention_menu::{MentionMenu, MentionMenuList};
use self::prompt_history::Recall;
use self::slash_menu::{SlashMenu, SlashMenuList};
use super::shortcuts::keys;
use super::shortcuts::keys::{Act, Key};
use crate::actions::use_actions;
use crate::browser;
use crate::browser::files as carried_files;
use crate::store::client::InputMode;
use crate::store::server::Session;
use crate::widgets::focus;
use crate::widgets::icon::{Glyph, Icon, LiveGlyph};

#[component]
pub fn Composer(session: Session) -> impl IntoView {
    let actions = use_actions();
    let id = StoredValue::new(session.id());
    let draft = actions.client.drafts.of(&session.id());
    let field = NodeRef::<html::Textarea>::new();
    let touch = browser::is_touch();
    let mode = Memo::new(move |_| id.with_value(|id| actions.client.input_mode(id)));
    let can_shell = Memo::new(move |_| session.meta.capabilities().with(|can| can.bash));
    let outside_context = Memo::new(move |_| draft.with(|draft| draft.starts_with("!!")));
    let pictures = actions.client.attachments.of(&session.id());
    let has_text = Memo::new(move |_| draft.with(|draft| !draft.trim().is_empty()));
    let can_send = Memo::new(move |_| {
        has_text.get() || (!pictures.with(Vec::is_empty) && mode.get() == InputMode::Prompt)
    });
    let can_picture = Memo::new(move |_| session.meta.capabilities().with(|can| can.images));
    let menu = SlashMenu::new(session);
    let files = MentionMenu::new(session, field);
    let recalled = StoredValue::new(None::<Recall>);
    let can_stop = Memo::new(move |_| session.meta.state().get().show_cancel_button());
    // After a failure a message starts a new turn, too, although the state offers Retry instead.
    let starts_turn = Memo::new(move |_| {
        let state = session.meta.state().get();
        state.input_enabled() || state == SessionState::Error
    });
    let shell = move || mode.get() == InputMode::Shell;

    let focus = move || {
        if let Some(field) = field.get_untracked() {
            let _ = field.focus();
        }
    };
    let send = move |lane: Lane| {
        actions.send_draft(session, lane);
        focus();
    };
    let toggle_shell = move |_| {
        id.with_value(|id| actions.client.toggle_shell(id));
        focus();
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let key = Key::of(&event);
        let plain = !key.composing && !key.shift && !key.alt && !key.control;
        if plain && (menu.takes(&key.name) || files.takes(&key.name)) {
            event.prevent_default();
            return;
        }
        if plain && matches!(key.name.as_str(), "ArrowUp" | "ArrowDown") {
            let found = draft.with_untracked(|draft| {
                let sent = session.sent_texts();
                if key.name == "ArrowUp" {
                    recalled
                        .with_value(|now| prompt_history::older(now.as_ref(), draft, &sent))
                        .map(|(recall, text)| (Some(recall), text))
                } else {
                    recalled.with_value(|now| prompt_history::newer(now.as_ref()?, draft, &sent))
                }
            });
            if let Some((now, text)) = found {
                event.prevent_default();
                recalled.set_value(now);
                id.with_value(|id| actions.client.drafts.set(id, text));
            }
            return;
        }
        if let Some(Act::Send(lane)) = keys::in_composer(&key, touch) {
            event.prevent_default();
            send(lane);
        }
    };
    // A keyboard that covers half the screen is not opened unasked.
    if !touch {
        focus::to_composer();
    }
    let pasted = move |event: leptos::ev::ClipboardEvent| {
        let carried = carried_files::carried(event.clipboard_data());
        // A text that brings a picture of itself along is pasted as a text.
        let text = event.clipboard_data().and_then(|data| data.get_data("text/plain").ok());
        if !carried.is_empty() && text.is_none_or(|text| text.is_empty()) {
            event.prevent_default();
            actions.attach(session, carried);
        }
    };
    let picker = NodeRef::<html::Input>::new();
    let picked = move |_| {
        if let Some(picker) = picker.get_untracked() {
            actions.attach(session, carried_files::all(picker.files()));
            // The same file can be picked again.
            picker.set_value("");
        }
        focus();
    };
    let placeholder = move || {
        if starts_turn.get() { "Message the agent…" } else { "Steer the agent, or schedule a follow-up…" }
    };
    let hint = move || match (mode.get(), outside_context.get(), starts_turn.get(), touch) {
        (InputMode::Shell, true, ..) => "Shell, kept from the agent",
        (InputMode::Shell, false, ..) => "Shell, shared with the agent",
        (_, _, _, true) => "",
        (_, _, false, _) if browser::is_mac() => "Enter steers · ⌥Enter follows up",
        (_, _, false, _) => "Enter steers · Alt+Enter follows up",
        (_, _, true, _) => "Enter sends · Shift+Enter breaks · @ files · ! shell",
    };
    let send_words = move || match (shell(), starts_turn.get()) {
        (true, _) => "Run",
        (false, true) => "Send",
        (false, false) => "Steer",
    };
    view! {
        <form
            class="composer"
            data-input-mode=move || mode.get().name()
            on:submit=move |event: leptos::ev::SubmitEvent| { event.prevent_default(); send(Lane::Steer) }
        >
            <SlashMenuList menu />
            <MentionMenuList menu=files />
            <div class="composer-box" class:dragged=actions.client.dragged>
                <AttachmentTray session />
                <div class="composer-grow">
                    <textarea
                        node_ref=field
                        name="prompt"
                        rows="1"
                        aria-label="Message"
                        autocomplete="off"
                        placeholder=placeholder
                        spellcheck=move || (!shell()).to_string()
                        data-input-mode=move || mode.get().name()
                        aria-controls=move || menu.menu.list_id().or_else(|| files.menu.list_id())
                        aria-activedescendant=move || menu.menu.marked_option().or_else(|| files.menu.marked_option())
                        prop:value=draft
                        on:paste=pasted
                        on:input:target=move |event| { let value = event.target().value();
                            id.with_value(|id| actions.client.drafts.set(id, value));
                            files.look();
                        }
                        on:keydown=on_key
                        on:keyup=move |_| files.look()
                        on:click=move |_| files.look()
                    ></textarea>
                    <div class="composer-replica" aria-hidden="true">{move || draft.get()}" "</div>
                </div>
                <div class="composer-bar">
                    <Show when=move || can_picture.get()>
                        <input
                            node_ref=picker
                            class="visually-hidden"
                            type="file"
                            name="images"
                            tabindex="-1"
                            aria-hidden="true"
                            multiple=true
                            accept="image/png,image/jpeg,image/gif,image/webp"
                            on:change=picked
                        />
                        <button
                            type="button"
                            class="button icon-only quiet composer-shell"
                            aria-label="Add images"
                            title="Add images, or paste or drop them"
                            on:click=move |_| picker.get_untracked().into_iter().for_each(|picker| picker.click())
                        >
                            <Glyph icon=Icon::Image />
                        </button>
                    </Show>
                    <Show when=move || can_shell.get()>
                        <button
                            type="button"
                            class="button icon-only quiet composer-shell"
                            aria-label="Shell"
                            title="Run a shell command"
                            aria-pressed=move || shell().to_string()
                            on:click=toggle_shell
                        >
                            <Glyph icon=Icon::Terminal />
                        </button>
                    </Show>
                    <span class="composer-hint">{hint}</span>
                    <Show when=move || can_stop.get()>
                        <button type="button" class="button stop" on:click=move |_| actions.stop(session)>
                            <Glyph icon=Icon::Stop />
                            "Stop"
                        </button>
                    </Show>
                    <Show when=move || { !starts_turn.get() && can_send.get() && !shell() }>
                        <button type="button" class="button" on:click=move |_| send(Lane::FollowUp)>
                            "Follow-up"
                        </button>
                    </Show>
                    <button type="submit" class="button primary" disabled=move || !can_send.get()>
                        <LiveGlyph icon=Signal::derive(move || if shell() { Icon::Terminal } else { Icon::ArrowUp }) />
                        {send_words}
                    </button>
                </div>
            </div>
        </form>
    }
}
