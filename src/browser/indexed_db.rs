//! Texts that are too large for the browser's small storage, kept in its database under a key. A browser that has none,
//! or does not give it away, forgets them: nothing here fails, and nobody waits for it.
//!
//! Each question opens the database anew. They are answered in the order in which they were asked.

use js_sys::{Array, Promise};
use leptos::prelude::window;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbObjectStore, IdbRequest, IdbTransactionMode};

const DATABASE: &str = "pilothouse";
const STORE: &str = "texts";

pub async fn get(key: &str) -> Vec<String> {
    let found = ask(IdbTransactionMode::Readonly, |store| store.get(&key.into())).await;
    let found = found.filter(Array::is_array).map(|texts| Array::from(&texts));
    found.iter().flat_map(Array::iter).filter_map(|text| text.as_string()).collect()
}

/// Keeps what the texts are when they are written: what is put later never comes first. None are deleted.
pub async fn put(key: &str, texts: impl FnOnce() -> Vec<String>) {
    ask(IdbTransactionMode::Readwrite, |store| {
        let texts: Array = texts().into_iter().map(JsValue::from).collect();
        match texts.length() {
            0 => store.delete(&key.into()),
            _ => store.put_with_key(&texts, &key.into()),
        }
    })
    .await;
}

async fn ask(
    mode: IdbTransactionMode,
    question: impl FnOnce(&IdbObjectStore) -> Result<IdbRequest, JsValue>,
) -> Option<JsValue> {
    let database = open().await?;
    let store = database.transaction_with_str_and_mode(STORE, mode).and_then(|one| one.object_store(STORE));
    let answer = match store.and_then(|store| question(&store)) {
        Ok(request) => ended(&request).await,
        Err(_) => None,
    };
    database.close();
    answer
}

async fn open() -> Option<IdbDatabase> {
    let request = window().indexed_db().ok()??.open_with_u32(DATABASE, 1).ok()?;
    let opened = request.clone();
    let furnish = Closure::<dyn FnMut()>::new(move || {
        if let Ok(database) = opened.result() {
            let _ = database.unchecked_into::<IdbDatabase>().create_object_store(STORE);
        }
    });
    request.set_onupgradeneeded(Some(furnish.as_ref().unchecked_ref()));
    ended(&request).await?.dyn_into().ok()
}

async fn ended(request: &IdbRequest) -> Option<JsValue> {
    let end = Promise::new(&mut |done, failed| {
        request.set_onsuccess(Some(&done));
        request.set_onerror(Some(&failed));
    });
    JsFuture::from(end).await.ok()?;
    request.result().ok()
}
