// The origins of everything that the document has loaded.
function requestedOrigins() {
    const entries = performance.getEntriesByType('resource');
    return [...new Set(entries.map((entry) => new URL(entry.name).origin))];
}
