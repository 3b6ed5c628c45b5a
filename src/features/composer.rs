//! The composer: the text field for prompts, steering messages and shell commands.

mod attachment_tray;
mod file_mentions;
mod prompt_history;
mod slash_menu;

use leptos::html;
use leptos::prelude::*;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::protocol::SessionMetaStoreFields;

use self::attachment_tray::attachment_tray;
use self::file_mentions::{FileMentions, FileMentionsList};
use self::prompt_history::Recall;
use self::slash_menu::{SlashMenu, SlashMenuList};
use super::shortcuts::keys;
use super::shortcuts::keys::{KeyAction, KeyPress};
use crate::actions::use_actions;
use crate::browser;
use crate::browser::files;
use crate::reactive::memo;
use crate::store::client::InputMode;
use crate::store::server::Session;
use crate::widgets::focus;
use crate::widgets::icon::{Glyph, Icon, LiveGlyph};

/// The composer of a session.
#[component]
pub fn Composer(session: Session) -> impl IntoView {
    let actions = use_actions();
    let id = StoredValue::new(session.id());
    let draft = actions.client.drafts.of(&session.id());
    let field = NodeRef::<html::Textarea>::new();
    let touch = browser::is_touch();
    let mode = memo(move || id.with_value(|id| actions.client.input_mode(id)));
    let supports_shell = memo(move || session.meta.capabilities().with(|can| can.bash));
    // A command after `!!` stays out of the agent's context.
    let outside_context = memo(move || draft.with(|draft| draft.starts_with("!!")));
    let attachments = actions.client.attachments.of(&session.id());
    let has_text = memo(move || draft.with(|draft| !draft.trim().is_empty()));
    let can_send =
        memo(move || has_text.get() || (!attachments.with(Vec::is_empty) && mode.get() == InputMode::Prompt));
    let supports_images = memo(move || session.meta.capabilities().with(|can| can.images));
    let slash_menu = SlashMenu::new(session);
    let mentions = FileMentions::new(session, field);
    let recall = StoredValue::new(None::<Recall>);
    let can_stop = memo(move || session.meta.state().get().show_cancel_button());
    let starts_turn = memo(move || !session.meta.state().get().is_active());
    let is_shell = move || mode.get() == InputMode::Shell;

    let focus_field = move || {
        if let Some(field) = field.get_untracked() {
            let _ = field.focus();
        }
    };
    let send = move |lane: Lane| {
        actions.send_draft(session, lane);
        focus_field();
    };
    let toggle_shell = move |_| {
        id.with_value(|id| actions.client.toggle_shell(id));
        focus_field();
    };
    let on_keydown = move |event: leptos::ev::KeyboardEvent| {
        let key = KeyPress::of(&event);
        let unmodified = !key.composing && !key.shift && !key.alt && !key.control;
        if unmodified && (slash_menu.handle_key(&key.name) || mentions.handle_key(&key.name)) {
            event.prevent_default();
            return;
        }
        if unmodified && matches!(key.name.as_str(), "ArrowUp" | "ArrowDown") {
            let found = draft.with_untracked(|draft| {
                let sent = session.sent_texts();
                if key.name == "ArrowUp" {
                    recall
                        .with_value(|current| prompt_history::older(current.as_ref(), draft, &sent))
                        .map(|(recall, text)| (Some(recall), text))
                } else {
                    recall.with_value(|current| prompt_history::newer(current.as_ref()?, draft, &sent))
                }
            });
            if let Some((new_recall, text)) = found {
                event.prevent_default();
                recall.set_value(new_recall);
                id.with_value(|id| actions.client.drafts.set(id, text));
            }
            return;
        }
        if let Some(KeyAction::Send(lane)) = keys::composer_action(&key, touch) {
            event.prevent_default();
            send(lane);
        }
    };
    // On a touch screen, focus would open the on-screen keyboard.
    if !touch {
        focus::focus_composer();
    }
    let on_paste = move |event: leptos::ev::ClipboardEvent| {
        let pasted = files::from_transfer(event.clipboard_data());
        // Text that comes with an image of itself, as from a spreadsheet, is pasted as text.
        let text = event.clipboard_data().and_then(|data| data.get_data("text/plain").ok());
        if !pasted.is_empty() && text.is_none_or(|text| text.is_empty()) {
            event.prevent_default();
            actions.attach(session, pasted);
        }
    };
    let file_input = NodeRef::<html::Input>::new();
    let on_files_picked = move |_| {
        if let Some(input) = file_input.get_untracked() {
            actions.attach(session, files::from_list(input.files()));
            // Picking the same file again must fire `change` again.
            input.set_value("");
        }
        focus_field();
    };
    // An agent that cannot be steered gets the messages after the run.
    let steers = memo(move || session.meta.capabilities().with(|can| can.agent_queue || can.mid_turn));
    let placeholder = move || match (starts_turn.get(), steers.get()) {
        (true, _) => "Message the agent…",
        (false, true) => "Steer the agent or queue a follow-up…",
        (false, false) => "Queue a message for after the run…",
    };
    let hint = move || match (mode.get(), outside_context.get(), starts_turn.get(), touch) {
        (InputMode::Shell, true, ..) => "Shell command, not shared with the agent",
        (InputMode::Shell, false, ..) => "Shell command, shared with the agent",
        (_, _, _, true) => "",
        (_, _, false, _) if !steers.get() => "Enter to queue",
        (_, _, false, _) if browser::is_mac() => "Enter to steer · ⌥Enter to follow up",
        (_, _, false, _) => "Enter to steer · Alt+Enter to follow up",
        (_, _, true, _) => "Enter to send · Shift+Enter for a new line · @ files · ! shell",
    };
    let send_label = move || match (is_shell(), starts_turn.get()) {
        (true, _) => "Run",
        (false, true) => "Send",
        (false, false) => {
            if steers.get() {
                "Steer"
            } else {
                "Queue"
            }
        }
    };
    view! {
        <form
            class="composer"
            data-input-mode=move || mode.get().name()
            on:submit=move |event: leptos::ev::SubmitEvent| { event.prevent_default(); send(Lane::Steer) }
        >
            <SlashMenuList menu=slash_menu />
            <FileMentionsList mentions />
            <div class="composer-box" class:dragged=actions.client.dragged>
                {attachment_tray(session)}
                <div class="composer-grow">
                    <textarea
                        node_ref=field
                        name="prompt"
                        rows="1"
                        aria-label="Message"
                        autocomplete="off"
                        placeholder=placeholder
                        spellcheck=move || (!is_shell()).to_string()
                        data-input-mode=move || mode.get().name()
                        aria-controls=move || slash_menu.menu.list_id().or_else(|| mentions.menu.list_id())
                        aria-activedescendant=move || slash_menu.menu.active_option().or_else(|| mentions.menu.active_option())
                        prop:value=draft
                        on:paste=on_paste
                        on:input:target=move |event| { let value = event.target().value();
                            id.with_value(|id| actions.client.drafts.set(id, value));
                            mentions.update_caret();
                        }
                        on:keydown=on_keydown
                        on:keyup=move |_| mentions.update_caret()
                        on:click=move |_| mentions.update_caret()
                    ></textarea>
                    <div class="composer-replica" aria-hidden="true">{move || draft.get()}" "</div>
                </div>
                <div class="composer-bar">
                    <Show when=move || supports_images.get()>
                        <input
                            node_ref=file_input
                            class="visually-hidden"
                            type="file"
                            name="images"
                            tabindex="-1"
                            aria-hidden="true"
                            multiple=true
                            accept="image/png,image/jpeg,image/gif,image/webp"
                            on:change=on_files_picked
                        />
                        <button
                            type="button"
                            class="button icon-only quiet composer-shell"
                            aria-label="Add images"
                            title="Add images (or paste or drop them)"
                            on:click=move |_| file_input.get_untracked().into_iter().for_each(|input| input.click())
                        >
                            <Glyph icon=Icon::Image />
                        </button>
                    </Show>
                    <Show when=move || supports_shell.get()>
                        <button
                            type="button"
                            class="button icon-only quiet composer-shell"
                            aria-label="Shell"
                            title="Run a shell command"
                            aria-pressed=move || is_shell().to_string()
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
                    <Show when=move || { !starts_turn.get() && can_send.get() && !is_shell() && steers.get() }>
                        <button type="button" class="button" on:click=move |_| send(Lane::FollowUp)>
                            "Follow-up"
                        </button>
                    </Show>
                    <button type="submit" class="button primary" disabled=move || !can_send.get()>
                        <LiveGlyph icon=Signal::derive(move || if is_shell() { Icon::Terminal } else { Icon::ArrowUp }) />
                        {send_label}
                    </button>
                </div>
            </div>
        </form>
    }
}
