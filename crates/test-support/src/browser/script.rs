//! JavaScript in the page: functions in files, called by name with JSON arguments.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::Page;
use crate::wait;

/// A file of JavaScript functions.
#[derive(Clone, Copy)]
pub struct JavaScript(pub &'static str);

/// The functions of the page object. Every other file may use them.
pub(super) const PAGE: JavaScript = JavaScript("");

const PAGE_FUNCTIONS: &str = include_str!("../../js/page.js");

impl JavaScript {
    fn call(self, function: &str) -> String {
        format!("{PAGE_FUNCTIONS}\n{}\nreturn {function}(...arguments)", self.0)
    }
}

impl Page {
    /// Calls a function of a file and returns its result. `arguments` is an array. Promises are awaited.
    pub async fn call(&self, file: JavaScript, function: &str, arguments: Value) -> Value {
        let result = self.run_function(file, function, &arguments).await;
        result.unwrap_or_else(|error| panic!("{function}({arguments}): {error}")).json().clone()
    }

    /// Calls a function and converts its result.
    pub async fn call_as<T: DeserializeOwned>(
        &self,
        file: JavaScript,
        function: &str,
        arguments: Value,
    ) -> T {
        let result = self.call(file, function, arguments).await;
        serde_json::from_value(result.clone()).unwrap_or_else(|error| panic!("{function}: {error}: {result}"))
    }

    /// Waits until a function returns true. Errors count as false: a page that is being left throws them.
    pub async fn until_call(&self, what: &str, file: JavaScript, function: &str, arguments: Value) {
        let mut last = String::new();
        let look = async || match self.run_function(file, function, &arguments).await {
            Ok(answer) if answer.json() == &json!(true) => Some(()),
            Ok(answer) => {
                last = answer.json().to_string();
                None
            }
            Err(error) => {
                last = error.to_string();
                None
            }
        };
        if wait::poll(look).await.is_none() {
            self.give_up(&format!("{what} (the last result was {last})")).await;
        }
    }

    /// Calls a function in every new document of this tab, before the page's own scripts.
    pub async fn add_init_call(&self, file: JavaScript, function: &str, arguments: Value) {
        let source = format!("(() => {{\n{}\n{function}(...{arguments});\n}})()", file.0);
        self.add_init_script(&source).await;
    }

    /// Runs a script in every new document of this tab, before the page's own scripts.
    pub async fn add_init_script(&self, source: &str) {
        self.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source })).await;
    }

    /// Waits for the element that a function of the page object returns.
    pub(super) async fn found(&self, function: &str, arguments: &Value) -> Option<WebElement> {
        let result = self.run_function(PAGE, function, arguments).await.ok()?;
        result.element().ok()
    }

    /// Waits until a function of the page object returns true.
    pub(super) async fn until_function(&self, what: &str, function: &str, arguments: Value) {
        self.until_call(what, PAGE, function, arguments).await;
    }

    pub(super) async fn run_function(
        &self,
        file: JavaScript,
        function: &str,
        arguments: &Value,
    ) -> WebDriverResult<ScriptRet> {
        let arguments = arguments.as_array().cloned().expect("the arguments are an array");
        self.driver.execute(file.call(function), arguments).await
    }

    /// Fails the story with the text of the page.
    pub(super) async fn give_up(&self, what: &str) -> ! {
        let body = self.driver.execute("return document.body.innerText", vec![]).await;
        let body = body.map(|body| body.json().as_str().unwrap_or_default().to_owned()).unwrap_or_default();
        panic!("timed out waiting for {what}; the page shows:\n{body}");
    }
}
