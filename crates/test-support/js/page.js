// Functions of the page object. They come before every file of a story, which may use them as well.

// All elements that match a selector, as an array.
function all(selector, root = document) {
    return [...root.querySelectorAll(selector)];
}

// The first element that matches a selector.
function first(selector) {
    return document.querySelector(selector);
}

// How many elements match a selector.
function count(selector) {
    return all(selector).length;
}

// The position and size of the first element that matches a selector.
function rect(selector) {
    const { left, top, right, bottom, width, height } = first(selector).getBoundingClientRect();
    return { left, top, right, bottom, width, height };
}

// The scrolling element of the conversation.
function log() {
    return first('[role=log]');
}

// The rows of the conversation that are built.
function rows() {
    return all('[role=log] [data-message-id]');
}

// Waits for so many animation frames.
async function frames(count) {
    for (; count > 0; count -= 1) await new Promise((done) => requestAnimationFrame(done));
}

// Waits until no transition or finite animation runs.
async function animationsEnd() {
    await frames(2);
    // Animations of hidden content, such as that of a closed disclosure, never end.
    const ends = ({ effect }) => effect.getTiming().iterations !== Infinity && effect.target.checkVisibility();
    await Promise.all(document.getAnimations().filter(ends).map((animation) => animation.finished));
}

// Whether the box lies inside the frame, both as viewport coordinates.
function isInside(box, frame) {
    return box.top >= frame.top && box.bottom <= frame.bottom;
}

// Whether an element is shown as a whole, seen from the top and bottom of the window.
function isInWindow(selector) {
    const box = first(selector)?.getBoundingClientRect();
    return !!box && box.height > 0 && isInside(box, { top: 0, bottom: innerHeight });
}

// Whether an element is rendered: neither it nor an ancestor is hidden.
function isRendered(element) {
    return element.checkVisibility({ visibilityProperty: true });
}

// Whether the first element that matches a selector is rendered.
function isVisible(selector) {
    const element = first(selector);
    return !!element && isRendered(element);
}

// Whether a user could use an element: rendered and enabled.
function isUsable(element) {
    return isRendered(element) && !element.disabled;
}

// Whether an element holds still. A hidden tab paints no frames, so the wait for two of them has a limit.
async function isStill(element) {
    const before = element.getBoundingClientRect();
    await Promise.race([frames(2), new Promise((done) => setTimeout(done, 100))]);
    const after = element.getBoundingClientRect();
    return before.left === after.left && before.top === after.top;
}

// Scrolls an element to the middle of what scrolls it.
function scrollToCenter(element) {
    element.scrollIntoView({ block: 'center' });
}

// The first element that matches a selector, if it can be used.
function usable(selector) {
    const element = first(selector);
    return element && isUsable(element) ? element : null;
}

// The first element that matches a selector, contains the text, and can be used.
function usableWithText(selector, text) {
    return all(selector).find((element) => element.textContent.includes(text) && isUsable(element)) ?? null;
}

// The last element that matches a selector, if it can be used.
function lastUsable(selector) {
    return all(selector).findLast(isUsable) ?? null;
}

// The buttons that can be used. A modal dialog makes all others inert.
function usableButtons() {
    return all('button', all('dialog:modal').at(-1) ?? document).filter(isUsable);
}

// The button with an accessible name. A colon or a comma separates the name from a value, such as the chosen model.
function button(name) {
    const nameOf = (element) => (element.getAttribute('aria-label') ?? element.textContent).trim();
    const isNamed = (element) =>
        nameOf(element) === name || [': ', ', '].some((separator) => nameOf(element).startsWith(name + separator));
    return usableButtons().find(isNamed) ?? null;
}

// The button whose text starts with these words.
function buttonStarting(words) {
    return usableButtons().find((element) => element.textContent.trim().startsWith(words)) ?? null;
}

// The label of the radio button with a value, in the form for a new session.
function radioLabel(value) {
    const radio = all('main input[type=radio]').find((radio) => radio.value === value);
    return radio && isUsable(radio) ? radio.closest('label') : null;
}

// Whether the sidebar is beside the conversation, or a drawer that is open and no longer moves.
function isSidebarOpen() {
    return !usable('.sessions-button') || first('.sidebar').getBoundingClientRect().left === 0;
}

// The button that opens the drawer, if the drawer is closed.
function closedDrawerButton() {
    return first('.sidebar-open') ? null : usable('.sessions-button');
}

// Whether the first element that matches a selector has this text, without white space around it.
function hasText(selector, text) {
    return first(selector)?.textContent.trim() === text;
}

// Whether an element that matches a selector contains this text.
function containsText(selector, text) {
    return all(selector).some((element) => element.textContent.includes(text));
}

// The texts of all elements that match a selector.
function texts(selector) {
    return all(selector).map((element) => element.textContent);
}

// Whether the first element that matches a selector is an image that is loaded, at least so wide.
function isLoadedImage(selector, width) {
    const image = first(selector);
    return !!image?.complete && image.naturalWidth >= width;
}

// Whether a row of the conversation contains the text and its top is visible.
function isRowInView(text) {
    const top = rows()
        .find((row) => row.textContent.includes(text))
        ?.getBoundingClientRect().top;
    return top >= 0 && top <= innerHeight;
}

// Whether a prompt has an answer, and the run that began after event number `before` has ended.
function hasEnded(prompt, before) {
    const main = first('main[data-session-id]');
    const all = rows();
    const asked = all.findLastIndex((row) => row.dataset.kind === 'user' && row.textContent.includes(prompt));
    const isOver = ['completed', 'error'].includes(main.dataset.state);
    return Number(main.dataset.seq) > before && asked >= 0 && asked < all.length - 1 && isOver;
}

// Replaces the text of a field as a paste does, and puts the caret behind it.
function fill(selector, text) {
    const field = first(selector);
    field.value = text;
    field.focus();
    field.setSelectionRange(text.length, text.length);
    field.dispatchEvent(new Event('input', { bubbles: true }));
}

// Makes the document report that it is `hidden` or `visible`.
function setVisibility(state) {
    Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
    announceVisibility();
}

// Fires the event that a browser without a window never fires.
function announceVisibility() {
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
}

// Waits until the page has stopped building rows: it builds those in view first and the others in later frames.
async function rowsSettle() {
    for (let before = -1, same = 0; same < 6; before = rows().length) {
        await frames(1);
        same = before === rows().length ? same + 1 : 0;
    }
}

// The line of the first row that matches a selector and is closed.
function closedRow(selector) {
    return first(`[role=log] ${selector} [aria-expanded=false]`);
}

// Whether a row that was closed is open now, or is gone.
function isOpened(line) {
    return !line.isConnected || line.ariaExpanded !== 'false';
}

// The scroll position of the conversation. At the end it is null, since the end moves.
function scrollPosition() {
    const { scrollTop, scrollHeight, clientHeight } = log();
    return scrollHeight - clientHeight - scrollTop <= 2 ? null : scrollTop;
}

// Scrolls the conversation to a position, or to the end.
async function scrollTo(position) {
    log().scrollTop = position ?? log().scrollHeight;
    await frames(2);
}

// The parts of all rows that a reload must not change.
function readRows() {
    const parts = '.row-text, .row-target, .row-result, .row-output';
    const textOf = (row) =>
        all(parts, row)
            .map((part) => part.textContent)
            .join('\n');
    return rows().map((row) => ({ kind: row.dataset.kind, phase: row.dataset.phase ?? null, text: textOf(row) }));
}

// Whether the main pointer is a finger.
function hasTouch() {
    return matchMedia('(pointer: coarse)').matches;
}

// Whether the document is shown.
function isDocumentVisible() {
    return document.visibilityState === 'visible';
}

// The commands that the tap on the socket has recorded.
function sentCommands() {
    return window.wire.sent;
}

// Tells the tap on the socket what to do with the next frames.
function setWire(property, value) {
    window.wire[property] = value;
}

// Whether the tap on the socket has done what it was told.
function isWireDone(property) {
    return !window.wire[property];
}
