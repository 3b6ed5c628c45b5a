// The first row that is at least partly visible.
function firstVisibleRow() {
    const edge = log().getBoundingClientRect().top;
    return rows().find((row) => row.getBoundingClientRect().bottom > edge);
}

// The id and position of a row.
function placeOf(id) {
    const row = rows().find((row) => row.dataset.messageId === id);
    return { id, top: row.getBoundingClientRect().top };
}

// Whether a row is at its place, apart from rounding.
function isRowAt(place) {
    const row = rows().find((row) => row.dataset.messageId === place.id);
    return !!row && Math.abs(row.getBoundingClientRect().top - place.top) <= 2;
}

// Scrolls up in steps, and returns the place of the first visible row.
async function scrollUp(steps, pixels) {
    for (; steps > 0; steps -= 1) {
        log().scrollTop -= pixels;
        await frames(2);
    }
    return placeOf(firstVisibleRow().dataset.messageId);
}

// Scrolls up to the first loaded row, and watches the first visible row in every frame while older rows are loaded.
async function watchOlderRowsLoad() {
    const firstChunk = () => Number(first('[role=log] [data-chunk]').dataset.chunk);
    const before = firstChunk();
    for (let step = 0; step < 400 && log().scrollTop > 900; step += 1) {
        log().scrollTop -= 700;
        await frames(1);
    }
    const row = firstVisibleRow();
    const { top } = row.getBoundingClientRect();
    let moved = 0;
    for (let count = 0; count < 2000 && (firstChunk() === before || count < 120); count += 1) {
        await frames(1);
        moved = Math.max(moved, Math.abs(row.getBoundingClientRect().top - top));
    }
    return { moved, loaded: firstChunk() < before, connected: row.isConnected };
}

// The number in the text of a row, such as 17 in `Message 17.`.
function numberOf(row) {
    return Number(row?.textContent.match(/Message (\d+)/)?.[1] ?? Infinity);
}

// Scrolls up until a message of the user with at most this number is built, and returns the id of a visible tool row.
async function scrollUpToMessage(number) {
    while (numberOf(first('[role=log] [data-kind=user]')) > number) {
        log().scrollTop -= 600;
        await frames(2);
    }
    const edge = log().getBoundingClientRect().top;
    const isBelowEdge = (row) => row.getBoundingClientRect().top > edge + 50;
    return all('[role=log] [data-kind=tool]').find(isBelowEdge).dataset.messageId;
}

// Scrolls up until the first visible message has a smaller number, and returns its place once it holds still.
async function readAbove(number) {
    while (numberOf(firstVisibleRow()) >= number) {
        log().scrollTop -= 900;
        await frames(3);
    }
    await frames(20);
    return placeOf(firstVisibleRow().dataset.messageId);
}

// Holds requests for older messages back until they are sent on demand.
function holdHistoryRequests() {
    const send = WebSocket.prototype.send;
    window.heldRequests = [];
    WebSocket.prototype.send = function (data) {
        const request = () => send.call(this, data);
        if (window.heldRequests && String(data).includes('get_messages')) window.heldRequests.push(request);
        else request();
    };
}

// Whether a request is held back.
function hasHeldRequest() {
    return window.heldRequests?.length > 0;
}

// Sends the requests that are held back, and holds none back from now on.
function sendHeldRequests() {
    const held = window.heldRequests;
    window.heldRequests = null;
    held.forEach((request) => request());
}

// After some frames, the position of the last row and the height of the conversation.
async function lastRow(count) {
    await frames(count);
    return { top: rows().at(-1).getBoundingClientRect().top, height: log().scrollHeight };
}

// Whether the conversation has grown by more than a screen since it had this height.
function isTallerThan(height) {
    return log().scrollHeight > height + log().clientHeight;
}

// Makes a row above the view taller, and returns by how much the first visible row moved.
async function growRowAbove() {
    const visible = firstVisibleRow();
    const { top } = visible.getBoundingClientRect();
    rows()[rows().indexOf(visible) - 2].style.paddingBottom = '333px';
    await frames(2);
    return Math.abs(visible.getBoundingClientRect().top - top);
}

// Selects a row, scrolls to the end, and returns whether it is still selected and its chunk is far above the view.
async function selectAndScrollAway() {
    for (let step = 0; step < 12; step += 1) {
        log().scrollTop -= 700;
        await frames(6);
    }
    const edge = log().getBoundingClientRect().top;
    const row = rows().find((row) => row.getBoundingClientRect().top > edge);
    const chunk = row.closest('[data-chunk]');
    document.activeElement.blur();
    getSelection().selectAllChildren(row);
    const text = getSelection().toString();
    log().scrollTop = log().scrollHeight;
    await frames(30);
    const selected = row.isConnected && text.length > 0 && getSelection().toString() === text;
    return { selected, away: chunk.getBoundingClientRect().bottom < -innerHeight };
}
