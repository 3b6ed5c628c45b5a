// A black PNG file, drawn by the browser.
async function imageFile(name, width, height) {
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    canvas.getContext('2d').fillRect(0, 0, width, height);
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
    return new File([blob], name, { type: 'image/png' });
}

// A data transfer with files.
function transfer(files) {
    const data = new DataTransfer();
    files.forEach((file) => data.items.add(file));
    return data;
}

// Drops files on an element.
function drop(selector, files) {
    const options = { dataTransfer: transfer(files), bubbles: true, cancelable: true };
    first(selector).dispatchEvent(new DragEvent('drop', options));
}

// Small images, as many as wanted.
function smallImages(count) {
    return Promise.all(Array.from({ length: count }, (_, number) => imageFile(`square-${number}.png`, 8, 8)));
}

// Drops small images on an element.
async function dropImages(selector, count) {
    drop(selector, await smallImages(count));
}

// Drops a text file that claims to be an image, and small images after it.
async function dropImagesAndText(selector, count) {
    const text = new File(['no image'], 'notes.png', { type: 'image/png' });
    drop(selector, [text, ...(await smallImages(count))]);
}

// Drops an image of a size.
async function dropLargeImage(selector, width, height) {
    drop(selector, [await imageFile('wide.png', width, height)]);
}

// Drops a file of these bytes and so many zeros, which claims to be an image.
function dropBytes(selector, name, bytes, zeros) {
    drop(selector, [new File([new Uint8Array(bytes), new Uint8Array(zeros)], name, { type: 'image/png' })]);
}

// Pastes a small image into the composer, and a text with it if there is one.
async function pasteImage(text) {
    const data = transfer(await smallImages(1));
    if (text) data.setData('text/plain', text);
    const options = { clipboardData: data, bubbles: true, cancelable: true };
    first('textarea[name=prompt]').dispatchEvent(new ClipboardEvent('paste', options));
}

// Whether the pending image has this size.
function isPendingSize(width, height) {
    const image = first('[data-pending-image] img');
    return !!image?.complete && image.naturalWidth === width && image.naturalHeight === height;
}

// The result of a request to the database.
function result(request) {
    return new Promise((done, failed) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => failed(request.error);
    });
}

// Whether the page has stored so many entries with keys that have this prefix.
async function isStored(prefix, count) {
    const database = await result(indexedDB.open('pilothouse'));
    const keys = await result(database.transaction('texts').objectStore('texts').getAllKeys());
    database.close();
    return keys.filter((key) => key.startsWith(prefix)).length === count;
}
