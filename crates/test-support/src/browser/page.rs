//! The page object: what a user does and sees, addressed by the attributes that the page has for tests.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use thirtyfour::TypingData;
use thirtyfour::prelude::*;

use crate::PATIENCE;

/// The page in one tab of a browser.
#[derive(Clone)]
pub struct Page {
    pub driver: WebDriver,
}

/// The parts of a timeline row that a reload must not change.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Row {
    pub kind: String,
    pub text: String,
    pub phase: Option<String>,
}

impl Page {
    pub async fn visit(&self, address: &str) {
        self.driver.goto(address).await.unwrap();
    }

    /// Opens the printed address and waits for the connection.
    pub async fn enter(&self, link: &str) {
        self.visit(link).await;
        self.until_connected().await;
    }

    pub async fn until_connected(&self) {
        self.until("the connection", "return document.body.dataset.connection === 'open'").await;
    }

    pub async fn reload(&self) {
        self.driver.refresh().await.unwrap();
        self.until_connected().await;
    }

    /// Creates a session of the demo agent with the defaults of the form.
    pub async fn new_session(&self) -> String {
        self.new_session_of("demo").await
    }

    pub async fn new_session_of(&self, agent: &str) -> String {
        self.until("the form", "return !!document.querySelector('main form button[type=submit]:enabled')")
            .await;
        self.choose_agent(agent).await;
        self.click("main form button[type=submit]").await;
        self.until(
            "the session",
            "return !!document.querySelector('main[data-session-id] textarea[name=prompt]')",
        )
        .await;
        self.attribute("main[data-session-id]", "data-session-id").await
    }

    pub async fn choose_agent(&self, name: &str) {
        let chosen = "const radio = [...document.querySelectorAll('main input[type=radio]')]\
                      .find((radio) => radio.value === arguments[0]); radio?.click(); return !!radio?.checked";
        assert_eq!(
            self.script(chosen, vec![json!(name)]).await,
            json!(true),
            "the form offers no agent {name}"
        );
    }

    /// Types into the composer.
    pub async fn write(&self, text: impl Into<TypingData>) {
        self.until("the composer", "return !!document.querySelector('textarea[name=prompt]')").await;
        let composer = self.driver.find(By::Css("textarea[name=prompt]")).await.unwrap();
        composer.send_keys(text).await.unwrap();
    }

    /// Replaces the text of the composer, as a paste does. Works for characters that no key types.
    pub async fn fill_composer(&self, text: &str) {
        self.until("the composer", "return !!document.querySelector('textarea[name=prompt]')").await;
        let fill = "const field = document.querySelector('textarea[name=prompt]');\
                    field.value = arguments[0]; field.focus(); field.setSelectionRange(field.value.length, field.value.length);\
                    field.dispatchEvent(new Event('input', { bubbles: true }))";
        self.script(fill, vec![json!(text)]).await;
    }

    /// Types into the composer and sends: with Enter, or with the button on a touch screen, where Enter breaks the
    /// line.
    pub async fn send(&self, text: &str) {
        self.write(text).await;
        if self.script("return matchMedia('(pointer: coarse)').matches", vec![]).await == true {
            self.click("form.composer button[type=submit]").await;
        } else {
            self.write(Key::Enter + "").await;
        }
    }

    /// Sends a prompt and waits for the end of the run.
    pub async fn run(&self, text: &str) {
        let before: u64 = self.attribute("main[data-session-id]", "data-seq").await.parse().unwrap();
        self.send(text).await;
        self.until_script(
            &format!("the end of '{text}'"),
            "const main = document.querySelector('main[data-session-id]');\
             const rows = [...main.querySelectorAll('[role=log] [data-message-id]')];\
             const asked = rows.findLastIndex((row) => row.dataset.kind === 'user' && row.textContent.includes(arguments[1]));\
             return Number(main.dataset.seq) > arguments[0] && asked >= 0 && asked < rows.length - 1 &&\
               ['completed', 'error'].includes(main.dataset.state)",
            vec![json!(before), json!(text)],
        )
        .await;
    }

    pub async fn draft(&self) -> String {
        let draft = self.script("return document.querySelector('textarea[name=prompt]').value", vec![]).await;
        draft.as_str().unwrap().to_owned()
    }

    pub async fn until_draft(&self, draft: &str) {
        let filled = "return document.querySelector('textarea[name=prompt]').value === arguments[0]";
        self.until_script(&format!("'{draft}' in the composer"), filled, vec![json!(draft)]).await;
    }

    /// Presses a visible button by its accessible name.
    pub async fn press(&self, label: &str) {
        // A colon or a comma separates the name from a value, such as the chosen model or a count.
        let press = "const named = (button) => (button.getAttribute('aria-label') ?? button.textContent).trim();\
                     const button = [...document.querySelectorAll('button')].find((button) => button.offsetParent &&\
                       (named(button) === arguments[0] || [': ', ', '].some((behind) => named(button).startsWith(arguments[0] + behind))));\
                     button?.click(); return !!button";
        self.until_script(&format!("a button '{label}'"), press, vec![json!(label)]).await;
    }

    /// Presses a visible button whose text begins with these words.
    pub async fn press_starting(&self, words: &str) {
        let press = "const button = [...document.querySelectorAll('button')]\
                       .find((button) => button.textContent.trim().startsWith(arguments[0]) && button.offsetParent);\
                     button?.click(); return !!button";
        self.until_script(&format!("a button '{words}…'"), press, vec![json!(words)]).await;
    }

    /// Presses a button twice, faster than any response can arrive.
    pub async fn press_twice(&self, label: &str) {
        let press = "const button = [...document.querySelectorAll('button')]\
                     .find((button) => button.textContent.trim() === arguments[0]);\
                     button.click(); button.click(); return true";
        assert_eq!(self.script(press, vec![json!(label)]).await, Value::Bool(true));
    }

    /// Chooses an item of the session menu.
    pub async fn choose_in_session_menu(&self, item: &str) {
        self.click(".title-bar [aria-label='Session menu']").await;
        self.press(item).await;
    }

    /// Replaces the text of a field by typing.
    pub async fn fill(&self, selector: &str, text: &str) {
        let field = self.driver.find(By::Css(selector)).await.unwrap();
        // WebDriver's clear would take the focus away, which ends a rename.
        field.send_keys(Key::Control + "a").await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// Makes the tab seem `hidden` or `visible`: a browser without a window never hides a tab.
    pub async fn set_visibility(&self, state: &str) {
        let script = "Object.defineProperty(document, 'visibilityState', { value: arguments[0], configurable: true });\
                      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))";
        self.script(script, vec![json!(state)]).await;
    }

    /// Sends keys to the element that has the focus.
    pub async fn press_keys(&self, keys: impl Into<TypingData>) {
        self.driver.active_element().await.unwrap().send_keys(keys).await.unwrap();
    }

    /// Opens the form for a new session by the link in the sidebar.
    pub async fn open_new_session_form(&self) {
        self.click("nav .new-session-link").await;
        self.until("the form", "return !!document.querySelector('main.new-session')").await;
    }

    /// Opens the form for a new session without opening the drawer that holds the link on a phone.
    pub async fn open_new_session_form_without_drawer(&self) {
        self.script("document.querySelector('nav .new-session-link').click()", vec![]).await;
        self.until("the form", "return !!document.querySelector('main.new-session')").await;
    }

    /// Clicks an element. Opens the drawer first if the element is in the sidebar of a phone.
    pub async fn click(&self, selector: &str) {
        if selector.starts_with("nav ") {
            let opened = "const button = document.querySelector('.sessions-button');\
                          const left = document.querySelector('.sidebar').getBoundingClientRect().left;\
                          if (button?.offsetParent && left < 0 && !document.querySelector('.sidebar-open')) button.click();\
                          return !button?.offsetParent || left === 0";
            self.until("the sidebar", opened).await;
        }
        self.driver.find(By::Css(selector)).await.unwrap().click().await.unwrap();
    }

    pub async fn state(&self) -> String {
        self.attribute("main[data-session-id]", "data-state").await
    }

    pub async fn until_state(&self, state: &str) {
        let script = "return document.querySelector('main[data-session-id]')?.dataset.state === arguments[0]";
        self.until_script(state, script, vec![json!(state)]).await;
    }

    /// Waits until a row contains this text.
    pub async fn until_text(&self, text: &str) {
        let script = "return [...document.querySelectorAll('[role=log] [data-message-id]')]\
                      .some((row) => row.textContent.includes(arguments[0]))";
        self.until_script(text, script, vec![json!(text)]).await;
    }

    pub async fn until_tool(&self, phase: &str) {
        let script = "return !!document.querySelector(`[data-kind=tool][data-phase=${arguments[0]}]`)";
        self.until_script(&format!("a tool that is {phase}"), script, vec![json!(phase)]).await;
    }

    /// Returns the rows once the page has stopped building them: it builds those in view first and the others in
    /// later frames. Opens closed tool rows, so that their output counts too.
    pub async fn rows(&self) -> Vec<Row> {
        let script = "const all = () => document.querySelectorAll('[role=log] [data-message-id]').length;\
                      const frame = () => new Promise((done) => requestAnimationFrame(done));\
                      for (let before = -1, same = 0; same < 6; before = all()) {\
                        await frame();\
                        same = before === all() ? same + 1 : 0;\
                      }\
                      document.querySelectorAll('[role=log] [data-kind=tool] [aria-expanded=false]')\
                        .forEach((button) => button.click());\
                      await frame(); await frame();\
                      return [...document.querySelectorAll('[role=log] [data-message-id]')].map((row) => ({\
                        kind: row.dataset.kind,\
                        phase: row.dataset.phase ?? null,\
                        text: [...row.querySelectorAll('.row-text, .row-target, .row-result, .row-output')]\
                          .map((part) => part.textContent).join('\\n'),\
                      }));";
        let rows = self.async_script(script).await;
        serde_json::from_value(rows).unwrap()
    }

    /// Reloads and returns the rows.
    pub async fn rows_after_reload(&self) -> Vec<Row> {
        self.reload().await;
        self.until("the rows", "return !!document.querySelector('[role=log] [data-message-id]')").await;
        self.rows().await
    }

    pub async fn count(&self, selector: &str) -> u64 {
        let count =
            self.script("return document.querySelectorAll(arguments[0]).length", vec![json!(selector)]).await;
        count.as_u64().unwrap()
    }

    pub async fn attribute(&self, selector: &str, name: &str) -> String {
        let element = self.driver.find(By::Css(selector)).await.unwrap();
        element.attr(name).await.unwrap().unwrap_or_default()
    }

    /// Waits until a script returns true.
    pub async fn until(&self, what: &str, script: &str) {
        self.until_script(what, script, vec![]).await;
    }

    /// Waits until a script with arguments returns true. A page that is being left throws errors, which count as
    /// false.
    pub async fn until_script(&self, what: &str, script: &str, arguments: Vec<Value>) {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let answer = self.driver.execute(script, arguments.clone()).await;
            if answer.is_ok_and(|answer| answer.json().as_bool() == Some(true)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(15)).await;
        }
        let body = self.script("return document.body.innerText", vec![]).await;
        panic!("timed out waiting for {what}; the page shows:\n{}", body.as_str().unwrap_or_default());
    }

    pub async fn script(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.driver.execute(script, arguments).await.unwrap().json().clone()
    }

    /// Runs a script that may use `await`.
    pub async fn async_script(&self, body: &str) -> Value {
        let script = format!(
            "const done = arguments[0]; (async () => {{ {body} }})().then(done, (error) => done(String(error)))"
        );
        self.driver.execute_async(&script, vec![]).await.unwrap().json().clone()
    }

    /// Sends a command of the Chrome DevTools Protocol.
    pub async fn cdp(&self, method: &str, parameters: Value) -> Value {
        self.driver.cdp().send_raw(method, parameters).await.unwrap()
    }

    /// Grants permissions to the pages of an origin.
    pub async fn grant(&self, origin: &str, permissions: &[&str]) {
        self.cdp("Browser.grantPermissions", json!({"origin": origin, "permissions": permissions})).await;
    }

    /// Runs a script in every new document of this tab, before the page's own scripts.
    pub async fn add_init_script(&self, source: &str) {
        self.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source })).await;
    }

    /// Saves a screenshot for people to look at.
    pub async fn screenshot(&self, name: &str) {
        let folder =
            std::env::var_os("PILOTHOUSE_SHOTS").map_or_else(|| PathBuf::from("target/shots"), PathBuf::from);
        std::fs::create_dir_all(&folder).unwrap();
        let _ = self.driver.screenshot(&folder.join(format!("{name}.png"))).await;
    }
}
