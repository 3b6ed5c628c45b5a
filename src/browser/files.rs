//! Files that the user drops, pastes or picks. Only their content is read; names are ignored.

use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DataTransfer, File, FileList, FileReader};

/// Reads a file or blob as base64; `None` if the browser cannot read it.
pub async fn read_base64(content: &Blob) -> Option<String> {
    let reader = FileReader::new().ok()?;
    let ended = js_sys::Promise::new(&mut |ended, _| reader.set_onloadend(Some(&ended)));
    reader.read_as_data_url(content).ok()?;
    JsFuture::from(ended).await.ok()?;
    let data_url = reader.result().ok()?.as_string()?;
    data_url.split_once("base64,").map(|(_, data)| data.to_owned())
}

pub fn from_list(list: Option<FileList>) -> Vec<File> {
    let Some(list) = list else { return Vec::new() };
    (0..list.length()).filter_map(|index| list.get(index)).collect()
}

/// The files of a drop or paste event.
pub fn from_transfer(transfer: Option<DataTransfer>) -> Vec<File> {
    from_list(transfer.and_then(|transfer| transfer.files()))
}

/// Whether a drag contains files, as far as the browser reports that before the drop.
pub fn carries_files(transfer: Option<DataTransfer>) -> bool {
    transfer.is_some_and(|transfer| transfer.types().includes(&"Files".into(), 0))
}
