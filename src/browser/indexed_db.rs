//! Stores lists of strings that are too large for `localStorage` in IndexedDB. Without IndexedDB, every list is empty;
//! no function here fails.
//!
//! Each request opens the database. IndexedDB processes the requests in order.

use js_sys::{Array, Promise};
use leptos::prelude::window;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbObjectStore, IdbRequest, IdbTransactionMode};

const DATABASE: &str = "pilothouse";
const STORE: &str = "texts";

/// Returns the texts stored under a key.
pub async fn get(key: &str) -> Vec<String> {
    let found = request(IdbTransactionMode::Readonly, |store| store.get(&key.into())).await;
    let found = found.filter(Array::is_array).map(|texts| Array::from(&texts));
    found.iter().flat_map(Array::iter).filter_map(|text| text.as_string()).collect()
}

/// Stores texts under a key; an empty list deletes the key. `texts` is called when the transaction begins, so that of
/// two concurrent calls the later one cannot be overwritten with older texts.
pub async fn put(key: &str, texts: impl FnOnce() -> Vec<String>) {
    request(IdbTransactionMode::Readwrite, |store| {
        let texts: Array = texts().into_iter().map(JsValue::from).collect();
        match texts.length() {
            0 => store.delete(&key.into()),
            _ => store.put_with_key(&texts, &key.into()),
        }
    })
    .await;
}

async fn request(
    mode: IdbTransactionMode,
    make_request: impl FnOnce(&IdbObjectStore) -> Result<IdbRequest, JsValue>,
) -> Option<JsValue> {
    let database = open().await?;
    let store = database
        .transaction_with_str_and_mode(STORE, mode)
        .and_then(|transaction| transaction.object_store(STORE));
    let result = match store.and_then(|store| make_request(&store)) {
        Ok(request) => completed(&request).await,
        Err(_) => None,
    };
    database.close();
    result
}

async fn open() -> Option<IdbDatabase> {
    let request = window().indexed_db().ok()??.open_with_u32(DATABASE, 1).ok()?;
    let opened = request.clone();
    let create_store = Closure::<dyn FnMut()>::new(move || {
        if let Ok(database) = opened.result() {
            let _ = database.unchecked_into::<IdbDatabase>().create_object_store(STORE);
        }
    });
    request.set_onupgradeneeded(Some(create_store.as_ref().unchecked_ref()));
    completed(&request).await?.dyn_into().ok()
}

/// Waits for a request and returns its result.
async fn completed(request: &IdbRequest) -> Option<JsValue> {
    let completion = Promise::new(&mut |done, failed| {
        request.set_onsuccess(Some(&done));
        request.set_onerror(Some(&failed));
    });
    JsFuture::from(completion).await.ok()?;
    request.result().ok()
}
