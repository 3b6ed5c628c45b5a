// Scrolling within the text of an approval, as a wheel or a finger does.

// Scrolls an element by a part of what is hidden.
function scrollBy(selector, part) {
    const element = document.querySelector(selector);
    element.scrollTop += (element.scrollHeight - element.clientHeight) * part;
}

// Waits until what is in view was reported: observers run after the layout of a frame.
function twoFrames() {
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
}
