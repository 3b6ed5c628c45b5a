
// What the first screens do not need is in a second module. It comes when the page stands; what needs it earlier
// waits for it.
const laterAddress = new URL('LATER_NAME', import.meta.url);
const boundImports = __wbg_get_imports;
const whenIdle = globalThis.requestIdleCallback ?? setTimeout;
let allImports;
let compiled;
__wbg_get_imports = () => (allImports = { ...boundImports(), later: { load: loadNow } });

function putLater(module) {
    if (wasm.loaded.value) return;
    new WebAssembly.Instance(module, { ...allImports, first: wasm });
    // Not in the midst of a call.
    setTimeout(() => unheld.splice(0).forEach(destroy));
}

// How something goes that nobody holds any more may be in the second module, and is nothing to fetch that for.
const unheld = [];
function destroy(closure) {
    if (wasm.loaded.value) wasm.__wbindgen_destroy_closure(closure.a, closure.b);
    else unheld.push(closure);
}

// In the midst of a call nothing can be awaited, and going back would leave the page half done.
function loadNow() {
    if (compiled) return putLater(compiled);
    for (;;) {
        const bytes = readNow();
        if (bytes) return putLater(new WebAssembly.Module(bytes));
        if (!confirm('A part of this page could not be loaded. Try again?')) throw new Error('a part of the page is missing');
    }
}

function readNow() {
    try {
        const request = new XMLHttpRequest();
        request.open('GET', laterAddress, false);
        // A request that is waited for gives text only: one character for each byte.
        request.overrideMimeType('text/plain; charset=x-user-defined');
        request.send();
        return request.status === 200 && Uint8Array.from(request.responseText, (byte) => byte.charCodeAt(0) & 255);
    } catch {
        return undefined;
    }
}

async function loadSoon(delay) {
    try {
        compiled = await WebAssembly.compileStreaming(fetch(laterAddress, { integrity: 'LATER_INTEGRITY', priority: 'low' }));
        // To put a thousand functions in their places takes a moment that nobody should wait for.
        whenIdle(() => putLater(compiled));
    } catch {
        if (!wasm.loaded.value) setTimeout(() => loadSoon(delay * 2), delay);
    }
}

addEventListener('TrunkApplicationStarted', () => whenIdle(() => loadSoon(2000)));
