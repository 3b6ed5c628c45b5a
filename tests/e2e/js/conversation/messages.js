// From now on, keeps what the page copies instead of writing it to the clipboard.
function catchCopies() {
    navigator.clipboard.writeText = (text) => {
        window.copiedText = text;
        return Promise.resolve();
    };
}

// Whether the page has copied something.
function isCopied() {
    return !!window.copiedText;
}

// The text that the page has copied.
function copied() {
    return window.copiedText;
}

// Whether the first message of the user contains this text and is visible in the conversation.
function isFirstMessageInView(text) {
    const row = first('[role=log] [data-kind=user]');
    return row.textContent.includes(text) && isInside(row.getBoundingClientRect(), log().getBoundingClientRect());
}
