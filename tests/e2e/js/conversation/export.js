// The text in the clipboard, or the types of what else it holds.
async function clipboardText() {
    const [item] = await navigator.clipboard.read();
    if (item.types.join() !== 'text/plain') return { types: item.types };
    return (await item.getType('text/plain')).text();
}

// Makes the document seem to be loaded over plain HTTP from another machine.
function becomeInsecure() {
    Object.defineProperty(window, 'isSecureContext', { value: false });
}
