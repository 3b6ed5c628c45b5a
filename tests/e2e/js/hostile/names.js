// Whether a hit of the search marks this text, in small letters.
function isHit(text) {
    return all('nav .hit mark').some((mark) => mark.textContent.toLowerCase() === text);
}

// Replaces everything that the page has stored, except its credential, and adds likely names. Returns the stored names.
function storeEverywhere(value) {
    const stored = [localStorage, sessionStorage].flatMap((storage) =>
        Object.keys(storage)
            .filter((key) => !key.includes('credential'))
            .map((key) => {
                storage.setItem(key, value);
                return key;
            }),
    );
    for (const name of ['server', 'api', 'host', 'base', 'url', 'socket', 'pilothouse.server', 'pilothouse.base']) {
        localStorage.setItem(name, value);
    }
    return stored;
}
