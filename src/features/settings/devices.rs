//! The list of the browsers with access, where they are added, renamed and revoked.

use std::sync::Arc;

use leptos::prelude::*;
use pilothouse_core::json::FromJson;
use pilothouse_core::limits::DEVICE_NAME_CHARS;
use pilothouse_core::protocol::{DeviceInfo, DeviceList, HubCommand, PairingLinks};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use crate::actions::{Actions, use_actions};
use crate::browser::field_value;
use crate::dom::build::{button, command_box, icon_button, on, set_value, with_attributes, with_children};
use crate::dom::element::{append, clear, set, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::net::read_answer;
use crate::routes;
use crate::store::client::Confirmation;
use crate::widgets::icon::Icon;
use crate::widgets::relative_time::time_ago;

/// The state of the open dialog.
#[derive(Clone, Copy)]
struct Devices {
    actions: Actions,
    list: RwSignal<Option<DeviceList>>,
    links: RwSignal<Option<PairingLinks>>,
    problem: RwSignal<String>,
}

pub(super) fn build(place: &Element) {
    let actions = use_actions();
    let devices = Devices {
        actions,
        list: RwSignal::new(None),
        links: RwSignal::new(None),
        problem: RwSignal::new(String::new()),
    };
    let words =
        "These browsers can use Pilothouse. Revoke the access of one that you don't know or no longer use.";
    let list = with_class("ul", "settings-list");
    let problem = with_attributes("p", &[("class", "problem"), ("role", "alert")]);
    let add = button("button", Some(Icon::Plus), "Add a device", move || {
        let command = HubCommand::CreatePairingLink { address: routes::page_address() };
        devices.request(command, move |links| devices.links.set(Some(links)));
    });
    let added = with_class("div", "device-links");
    for part in [&with_text("p", "confirm-words", words), &list, &problem, &added, &add] {
        append(place, part);
    }
    render_effect(Box::new(move || {
        actions.server.devices_changed.track();
        untrack(|| devices.load());
    }));
    render_effect(Box::new(move || {
        let Some(DeviceList { devices: known }) = devices.list.get() else { return };
        clear(&list);
        known.iter().for_each(|device| append(&list, &devices.item(device)));
    }));
    render_effect(Box::new(move || {
        clear(&added);
        devices.links.with(|links| links.iter().for_each(|links| show_links(&added, links)));
    }));
    render_effect(Box::new(move || problem.set_text_content(Some(&devices.problem.get()))));
}

impl Devices {
    fn load(self) {
        self.request(HubCommand::ListDevices, move |list: DeviceList| {
            // A link that was just used adds a device.
            let known =
                self.list.with_untracked(|known| known.as_ref().map_or(0, |known| known.devices.len()));
            if list.devices.len() > known {
                self.links.set(None);
            }
            self.list.set(Some(list));
        });
    }

    fn request<T: FromJson>(self, command: HubCommand, on_success: impl FnOnce(T) + 'static) {
        self.actions.request_hub(command, move |outcome| match read_answer(outcome) {
            Ok(answer) => {
                self.problem.set(String::new());
                on_success(answer);
            }
            Err(problem) => self.problem.set(problem),
        });
    }

    fn item(self, device: &DeviceInfo) -> Element {
        let now = self.actions.client.now.get_untracked();
        let ago = |time| time_ago(time, now);
        let used = match device {
            DeviceInfo { current: true, .. } => "this browser".to_owned(),
            DeviceInfo { connected: true, .. } => "connected".to_owned(),
            _ => format!("used {}", ago(device.last_used)),
        };
        let place = device.origin.split("://").last().unwrap_or_default();
        let facts = format!("{used} · added {} · {place}", ago(device.created));
        let name = with_text("div", "device-name", &device.name);
        let texts = with_children("div", "device-texts", &[&name, &with_text("div", "device-facts", &facts)]);
        let item = with_children("li", "device", &[&texts]);
        set(&item, "data-device", &device.id);
        let (id, old_name) = (device.id.clone(), device.name.clone());
        let rename = icon_button("button icon-only quiet", Icon::Edit, "Rename", move || {
            self.rename(&name, &id, &old_name);
        });
        let (id, name, current) = (device.id.clone(), device.name.clone(), device.current);
        let revoke =
            button("button quiet danger", None, "Revoke", move || self.revoke(id.clone(), &name, current));
        append(&item, &rename);
        append(&item, &revoke);
        item
    }

    /// Replaces the name by a field. Enter and blur save, Escape cancels.
    fn rename(self, place: &Element, id: &str, name: &str) {
        let maximum = DEVICE_NAME_CHARS.to_string();
        let field = with_attributes(
            "input",
            &[
                ("class", "rename-field"),
                ("type", "text"),
                ("name", "device"),
                ("aria-label", "Name"),
                ("maxlength", &maximum),
            ],
        );
        set_value(&field, name);
        clear(place);
        append(place, &field);
        let focused: &HtmlElement = field.unchecked_ref();
        let _ = focused.focus();
        let (read, device_id) = (field.clone(), id.to_owned());
        on(&field, "blur", move |_| {
            let name = field_value(&read);
            let reload = move |_: serde_json::Value| self.load();
            self.request(HubCommand::RenameDevice { device_id: device_id.clone(), name }, reload);
        });
        let (edited, old_name) = (field.clone(), name.to_owned());
        on(&field, "keydown", move |event| {
            let field: &HtmlElement = edited.unchecked_ref();
            match event.unchecked_ref::<KeyboardEvent>().key().as_str() {
                "Escape" => {
                    // The browser would close the dialog.
                    event.prevent_default();
                    set_value(&edited, &old_name);
                    let _ = field.blur();
                }
                "Enter" => drop(field.blur()),
                _ => {}
            }
        });
    }

    fn revoke(self, device_id: String, name: &str, current: bool) {
        let text = if current {
            "This browser loses its access at once. To use Pilothouse here again, you need a new link."
        } else {
            "The browser loses its access and is disconnected at once."
        };
        self.actions.client.confirmation.set(Some(Confirmation {
            title: format!("Revoke the access of “{name}”?"),
            text: text.to_owned(),
            confirm_label: "Revoke",
            destructive: true,
            alternatives: Vec::new(),
            action: Arc::new(move || {
                let command = HubCommand::RevokeDevice { device_id: device_id.clone() };
                self.request(command, move |_: serde_json::Value| self.load());
            }),
        }));
    }
}

fn show_links(place: &Element, links: &PairingLinks) {
    for link in &links.links {
        if !link.local {
            append(
                place,
                &with_attributes(
                    "img",
                    &[("src", &link.qr), ("alt", "QR code of the link"), ("class", "qr")],
                ),
            );
        }
        append(place, &command_box(&link.link));
    }
    let words = if links.links.iter().all(|link| link.local) {
        "Open this link in another browser on the server's machine, within a day. It works once. For other devices, see “Other devices” in the README."
    } else {
        "Scan the code or open the link on the other device, within a day. It works once."
    };
    append(place, &with_text("p", "confirm-words", words));
}
