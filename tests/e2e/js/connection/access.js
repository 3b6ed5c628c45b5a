// Opens the server's socket with a credential, if there is one, and sends a text, if there is one. Returns `open` or
// `refused`.
function openSocket(address, credential, text) {
    const protocols = credential ? ['pilothouse', `pilothouse.bearer.${credential}`] : [];
    const socket = new WebSocket(address, protocols);
    return new Promise((done) => {
        socket.onopen = () => {
            if (text) socket.send(text);
            done('open');
        };
        socket.onerror = () => done('refused');
    });
}

// The credential that the page has stored.
function storedCredential() {
    const key = Object.keys(localStorage).find((name) => name.startsWith('pilothouse.credential'));
    return key ? localStorage[key] : null;
}

// Requests an address in every way a page of another site can. Returns a status or `refused` for each.
async function requestAccess(address, credential) {
    const outcomes = [];
    for (const [method, mode, headers] of [
        ['GET', 'cors', {}],
        ['POST', 'cors', {}],
        ['POST', 'no-cors', {}],
        ['GET', 'cors', { Authorization: `Bearer ${credential}` }],
    ]) {
        const request = fetch(address, { method, mode, headers, credentials: 'include' });
        outcomes.push(
            await request.then(
                (response) => String(response.status),
                () => 'refused',
            ),
        );
    }
    return outcomes;
}

// Everything that the page can read about cookies and stored values here.
function visibleSecrets() {
    return document.cookie + JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage });
}
