//! Files that a person hands to the page: the names of them are not looked at, the content is read by the browser.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{DataTransfer, File, FileList, FileReader};

/// Reads a file as base64; nothing if the browser cannot.
pub fn read(file: &File, done: impl FnOnce(Option<String>) + 'static) {
    let Ok(reader) = FileReader::new() else { return done(None) };
    let own = reader.clone();
    let ended = Closure::once_into_js(move || {
        let address = own.result().ok().and_then(|result| result.as_string());
        done(address.and_then(|address| address.split_once("base64,").map(|(_, data)| data.to_owned())));
    });
    reader.set_onloadend(Some(ended.unchecked_ref()));
    let _ = reader.read_as_data_url(file);
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
