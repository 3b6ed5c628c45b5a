//! Resizes and re-encodes images with a canvas.

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, ImageBitmap};

const JPEG_QUALITY: f64 = 0.85;

/// Decodes an image; `None` if the browser cannot.
pub async fn decode(content: &Blob) -> Option<ImageBitmap> {
    let bitmap = window().create_image_bitmap_with_blob(content).ok()?;
    JsFuture::from(bitmap).await.ok()?.dyn_into().ok()
}

/// Draws the image in the given size and encodes it.
pub async fn resize(image: &ImageBitmap, (width, height): (u32, u32), mime_type: &str) -> Option<Blob> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(width);
    canvas.set_height(height);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    if mime_type == "image/jpeg" {
        // JPEG has no transparency: without a background, transparent parts become black.
        context.set_fill_style_str("#fff");
        context.fill_rect(0.0, 0.0, f64::from(width), f64::from(height));
    }
    let (width, height) = (f64::from(width), f64::from(height));
    context.draw_image_with_image_bitmap_and_dw_and_dh(image, 0.0, 0.0, width, height).ok()?;
    let encoded = js_sys::Promise::new(&mut |done, _| {
        let _ = canvas.to_blob_with_type_and_encoder_options(&done, mime_type, &JPEG_QUALITY.into());
    });
    JsFuture::from(encoded).await.ok()?.dyn_into().ok()
}
