// Runs before the page's own scripts: records the requests that block the main thread.
function recordSynchronousRequests() {
    window.synchronousRequests = [];
    const open = XMLHttpRequest.prototype.open;
    XMLHttpRequest.prototype.open = function (method, address, isAsync = true, ...rest) {
        if (!isAsync) window.synchronousRequests.push(String(address));
        return open.call(this, method, address, isAsync, ...rest);
    };
}

// The addresses of the requests that blocked the main thread.
function synchronousRequests() {
    return window.synchronousRequests;
}

// An entry per file that was requested from the server: its path, and the size of its body as sent.
function requestedFiles() {
    const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    return entries
        .filter((entry) => entry.transferSize > 0)
        .map((entry) => ({ path: new URL(entry.name).pathname, bytes: entry.encodedBodySize }))
        .filter((file) => !file.path.startsWith('/api/'));
}

// Resolves when the browser has nothing to do. Some of the page's work is done then.
async function idle() {
    await new Promise((resolve) => requestIdleCallback(resolve));
    return true;
}
