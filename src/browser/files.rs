//! Files that a person hands to the page: the names of them are not looked at, the content is read by the browser.

use gloo_net::http::Request;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DataTransfer, File, FileList, FileReader};

/// Reads what a file holds as base64; nothing if the browser cannot.
pub async fn read(content: &Blob) -> Option<String> {
    let reader = FileReader::new().ok()?;
    let ended = js_sys::Promise::new(&mut |ended, _| reader.set_onloadend(Some(&ended)));
    reader.read_as_data_url(content).ok()?;
    JsFuture::from(ended).await.ok()?;
    let address = reader.result().ok()?.as_string()?;
    address.split_once("base64,").map(|(_, data)| data.to_owned())
}

/// What stands at an address of the page's own server, as base64.
pub async fn fetch(address: &str) -> Option<String> {
    let bytes = Request::get(address).send().await.ok().filter(|answer| answer.ok())?.binary().await.ok()?;
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes.as_slice()));
    read(&Blob::new_with_u8_array_sequence(&parts).ok()?).await
}

pub fn all(list: Option<FileList>) -> Vec<File> {
    let Some(list) = list else { return Vec::new() };
    (0..list.length()).filter_map(|index| list.get(index)).collect()
}

/// The files of a drop or of the clipboard.
pub fn carried(transfer: Option<DataTransfer>) -> Vec<File> {
    all(transfer.and_then(|transfer| transfer.files()))
}

/// What is carried over the page is files, as far as the browser tells.
pub fn carries_files(transfer: Option<DataTransfer>) -> bool {
    transfer.is_some_and(|transfer| transfer.types().includes(&"Files".into(), 0))
}
