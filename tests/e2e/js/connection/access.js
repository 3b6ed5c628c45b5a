// Opens the server's socket, sends a text if there is one, and returns `open` or `refused`.
function openSocket(address, text) {
    const socket = new WebSocket(address);
    return new Promise((done) => {
        socket.onopen = () => {
            if (text) socket.send(text);
            done('open');
        };
        socket.onerror = () => done('refused');
    });
}

// Requests an address with the cookie in every way a page of another site can. Returns a status or `refused` for each.
async function requestAccess(address) {
    const outcomes = [];
    for (const [method, mode] of [
        ['GET', 'cors'],
        ['POST', 'cors'],
        ['POST', 'no-cors'],
    ]) {
        const request = fetch(address, { method, mode, credentials: 'include' });
        outcomes.push(
            await request.then(
                (response) => String(response.status),
                () => 'refused',
            ),
        );
    }
    return outcomes;
}
