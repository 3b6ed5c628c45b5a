// The highlighted ranges of the found text.
function foundRanges() {
    return [...(CSS.highlights.get('found') ?? [])];
}

// Whether nothing is highlighted.
function nothingFound() {
    return !CSS.highlights.has('found');
}

// Whether exactly this text is highlighted, inside an element that matches the selector.
function isFoundIn(text, selector) {
    const isInside = (range) => !!range.startContainer.parentElement.closest(selector);
    return foundRanges().some((range) => range.toString() === text && isInside(range));
}

// Whether the first highlighted range is visible.
function isFoundInView() {
    const box = foundRanges()[0]?.getBoundingClientRect();
    return box?.height > 0 && isInside(box, log().getBoundingClientRect());
}

// Whether the search shows this position, and the current place is visible in a row with this text.
function isCurrentPlace(position, rowText) {
    const [range] = CSS.highlights.get('here') ?? [];
    const row = range?.startContainer.parentElement.closest('[data-kind]');
    const isShown = first('.find-words').textContent === position && row?.textContent.includes(rowText);
    return isShown && isInside(range.getBoundingClientRect(), log().getBoundingClientRect());
}

// Searches, and presses Escape as soon as the page reports the hit, before it builds anything for it. Returns whether
// a highlight or the search bar is left.
async function escapeOnFirstHit(query) {
    const field = first('[name=find]');
    const words = first('.find-words');
    const found = new Promise((done) => {
        const observer = new MutationObserver(() => {
            if (!words.textContent.includes('1 of 1')) return;
            observer.disconnect();
            field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
            done();
        });
        observer.observe(words, { subtree: true, childList: true, characterData: true });
    });
    fill('[name=find]', query);
    await found;
    await frames(20);
    return !nothingFound() || !!first('[data-marked], [name=find]');
}
