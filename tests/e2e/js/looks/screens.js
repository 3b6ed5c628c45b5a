// The fields with a font so small that a phone zooms in on them.
function zoomedFields() {
    const isSmall = (field) => field.offsetParent && parseFloat(getComputedStyle(field).fontSize) < 16;
    const nameOf = (field) => field.name || field.ariaLabel || field.className;
    return all('input, textarea, select').filter(isSmall).map(nameOf);
}

// Applies the page's own setting for contrast, and waits until nothing fades any more.
async function setContrast(isHigh) {
    document.documentElement.removeAttribute('data-contrast');
    if (isHigh) document.documentElement.dataset.contrast = 'more';
    await animationsEnd();
}

// Scrolls an element into view, to the `end` or the `center` of the window, or to its `start`.
function show(selector, block) {
    first(selector).scrollIntoView({ block });
}

// Makes the server seem to have another version than the page.
function changeVersion() {
    window.WebSocket = class extends WebSocket {
        constructor(address, protocols) {
            super(address, protocols);
            this.addEventListener('message', (event) => {
                const frame = JSON.parse(event.data);
                if (!event.isTrusted || frame.type !== 'welcome') return;
                event.stopImmediatePropagation();
                frame.version += 1;
                this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }));
            });
        }
    };
}
