// Runs before the page's own scripts. `firstLoad` reports the requests of the page to the test.
(() => {
    const synchronous = [];
    const open = XMLHttpRequest.prototype.open;
    XMLHttpRequest.prototype.open = function (method, address, isAsync = true, ...rest) {
        if (!isAsync) synchronous.push(String(address));
        return open.call(this, method, address, isAsync, ...rest);
    };

    window.firstLoad = {
        // The addresses of requests that block the main thread.
        synchronous,
        // An entry per file that was requested from the server: its path, and the size of its body as sent.
        files: () =>
            [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
                .map((entry) => ({
                    path: new URL(entry.name).pathname,
                    bytes: entry.encodedBodySize,
                    isFromServer: entry.transferSize > 0,
                }))
                .filter((file) => file.isFromServer && !file.path.startsWith("/api/")),
    };
})();
