//! The page object: what a user does with the page. Elements are addressed by the attributes that the page has for
//! tests.

use std::path::PathBuf;

use serde_json::{Value, json};
use thirtyfour::TypingData;
use thirtyfour::prelude::*;

use super::script::PAGE;

/// The page in one tab of a browser.
#[derive(Clone)]
pub struct Page {
    pub driver: WebDriver,
}

/// The field for prompts.
pub const COMPOSER: &str = "textarea[name=prompt]";

/// The selector of a session's row in the sidebar.
pub fn session_row(session: &str) -> String {
    format!("nav [data-session-id='{session}']")
}

impl Page {
    pub async fn visit(&self, address: &str) {
        self.driver.goto(address).await.unwrap();
    }

    /// Opens an address and waits for the connection.
    pub async fn enter(&self, address: &str) {
        self.visit(address).await;
        self.until_connected().await;
    }

    /// Opens the printed address in a browser that has never been there, on a machine with the demo agent alone and
    /// without sessions. The page then opens a session of the demo agent without being asked; returns its id.
    pub async fn first_visit(&self, link: &str) -> String {
        self.enter(link).await;
        self.until_present(&format!("main[data-session-id] {COMPOSER}")).await;
        self.session().await
    }

    pub async fn until_connected(&self) {
        self.until_present("body[data-connection=open]").await;
    }

    /// Waits until the page shows that it has lost the connection.
    pub async fn until_lost(&self) {
        self.until_present("body[data-connection=lost]").await;
    }

    pub async fn reload(&self) {
        self.driver.refresh().await.unwrap();
        self.until_connected().await;
    }

    /// The address of the tab.
    pub async fn address(&self) -> String {
        self.driver.current_url().await.unwrap().to_string()
    }

    /// Goes back in the history of the tab.
    pub async fn back(&self) {
        self.driver.back().await.unwrap();
    }

    /// Goes forward in the history of the tab.
    pub async fn forward(&self) {
        self.driver.forward().await.unwrap();
    }

    /// Creates a session of the demo agent with the form that is shown.
    pub async fn new_session(&self) -> String {
        self.new_session_of("demo").await
    }

    /// Creates a session of an agent with the form that is shown.
    pub async fn new_session_of(&self, agent: &str) -> String {
        self.until_form().await;
        self.choose_agent(agent).await;
        self.click("main form button[type=submit]").await;
        self.until_present(&format!("main[data-session-id] {COMPOSER}")).await;
        self.session().await
    }

    /// Waits until the form for a new session can be submitted.
    pub async fn until_form(&self) {
        self.until_present("main form button[type=submit]:enabled").await;
    }

    /// Opens the form for a new session by the link in the sidebar.
    pub async fn open_new_session_form(&self) {
        self.click("nav .new-session-link").await;
        self.until_present("main.new-session").await;
    }

    /// Opens a session by its row in the sidebar.
    pub async fn open_session(&self, session: &str) {
        self.click(&session_row(session)).await;
    }

    /// Types into the composer.
    pub async fn write(&self, text: impl Into<TypingData>) {
        self.type_into(COMPOSER, text).await;
    }

    /// Waits for a field and types into it.
    pub async fn type_into(&self, selector: &str, text: impl Into<TypingData>) {
        self.until_present(selector).await;
        self.driver.find(By::Css(selector)).await.unwrap().send_keys(text).await.unwrap();
    }

    /// Replaces the text of the composer, as a paste does. Works for characters that no key types.
    pub async fn fill_composer(&self, text: &str) {
        self.until_present(COMPOSER).await;
        self.call(PAGE, "fill", json!([COMPOSER, text])).await;
    }

    /// Types into the composer and sends: with Enter, or with the button on a touch screen, where Enter breaks the
    /// line.
    pub async fn send(&self, text: &str) {
        self.write(text).await;
        if self.call(PAGE, "hasTouch", json!([])).await == true {
            self.click("form.composer button[type=submit]").await;
        } else {
            self.write(Key::Enter + "").await;
        }
    }

    /// Sends a prompt and waits for the end of the run.
    pub async fn run(&self, text: &str) {
        let before = self.events_seen().await;
        self.send(text).await;
        self.until_end_of(text, before).await;
    }

    /// The number of the last event that the page has applied to the session.
    pub async fn events_seen(&self) -> u64 {
        self.attribute("main[data-session-id]", "data-seq").await.parse().unwrap()
    }

    /// Waits until the run of a prompt has ended, which began after this event.
    pub async fn until_end_of(&self, prompt: &str, before: u64) {
        self.until_function(&format!("the end of '{prompt}'"), "hasEnded", json!([prompt, before])).await;
    }

    pub async fn draft(&self) -> String {
        self.value_of(COMPOSER).await
    }

    pub async fn until_draft(&self, draft: &str) {
        self.until_value(COMPOSER, draft).await;
    }

    /// Replaces the text of a field by typing.
    pub async fn fill(&self, selector: &str, text: &str) {
        self.until_present(selector).await;
        let field = self.driver.find(By::Css(selector)).await.unwrap();
        // WebDriver's clear would take the focus away, which ends a rename.
        field.send_keys(Key::Control + "a").await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// Sends keys to the element that has the focus.
    pub async fn press_keys(&self, keys: impl Into<TypingData>) {
        self.driver.active_element().await.unwrap().send_keys(keys).await.unwrap();
    }

    /// Scrolls the conversation to a position, in pixels from its top.
    pub async fn scroll_to(&self, position: f64) {
        self.call(PAGE, "scrollTo", json!([position])).await;
    }

    /// Makes the tab seem `hidden` or `visible`: a browser without a window never hides a tab.
    pub async fn set_visibility(&self, state: &str) {
        self.call(PAGE, "setVisibility", json!([state])).await;
    }

    /// Emulates a preference of the system, such as `prefers-color-scheme`.
    pub async fn emulate_media(&self, features: &[(&str, &str)]) {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
        self.cdp("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// Emulates a window with a mouse, in CSS pixels.
    pub async fn emulate_window(&self, width: u32, height: u32, scale: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": false});
        self.cdp("Emulation.setDeviceMetricsOverride", metrics).await;
    }

    /// Sends a command of the Chrome DevTools Protocol.
    pub async fn cdp(&self, method: &str, parameters: Value) -> Value {
        self.driver.cdp().send_raw(method, parameters).await.unwrap()
    }

    /// Grants permissions to the pages of an origin.
    pub async fn grant(&self, origin: &str, permissions: &[&str]) {
        self.cdp("Browser.grantPermissions", json!({"origin": origin, "permissions": permissions})).await;
    }

    /// Saves a screenshot for people to look at.
    pub async fn screenshot(&self, name: &str) {
        let folder =
            std::env::var_os("PILOTHOUSE_SHOTS").map_or_else(|| PathBuf::from("target/shots"), PathBuf::from);
        std::fs::create_dir_all(&folder).unwrap();
        let _ = self.driver.screenshot(&folder.join(format!("{name}.png"))).await;
    }
}
