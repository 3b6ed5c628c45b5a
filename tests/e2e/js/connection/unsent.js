// The keys of unsent messages in the local storage.
function unsentKeys() {
    return Object.keys(localStorage).filter((key) => key.startsWith('sent:'));
}

// Whether no unsent message is stored.
function nothingUnsent() {
    return unsentKeys().length === 0;
}

// Makes the stored unsent message so many hours older.
function makeOlder(hours) {
    const [key] = unsentKeys();
    const message = JSON.parse(localStorage[key]);
    message[3] -= hours * 3600000;
    localStorage[key] = JSON.stringify(message);
}
