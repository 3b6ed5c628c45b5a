//! Attachments drawn anew by the browser, smaller or in another form.

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, ImageBitmap};

/// How good a JPEG is made.
const QUALITY: f64 = 0.85;

/// A picture that the browser can draw; nothing if it is none.
pub async fn decoded(content: &Blob) -> Option<ImageBitmap> {
    let picture = window().create_image_bitmap_with_blob(content).ok()?;
    JsFuture::from(picture).await.ok()?.dyn_into().ok()
}

pub async fn drawn(picture: &ImageBitmap, (width, height): (u32, u32), mime_type: &str) -> Option<Blob> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(width);
    canvas.set_height(height);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    if mime_type == "image/jpeg" {
        // What can be seen through would be black.
        context.set_fill_style_str("#fff");
        context.fill_rect(0.0, 0.0, f64::from(width), f64::from(height));
    }
    let (width, height) = (f64::from(width), f64::from(height));
    context.draw_image_with_image_bitmap_and_dw_and_dh(picture, 0.0, 0.0, width, height).ok()?;
    let made = js_sys::Promise::new(&mut |made, _| {
        let _ = canvas.to_blob_with_type_and_encoder_options(&made, mime_type, &QUALITY.into());
    });
    JsFuture::from(made).await.ok()?.dyn_into().ok()
}
