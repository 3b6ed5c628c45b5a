// Whether an element has an outline or a shadow.
function isMarked(element) {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
}

// Whether an element has the focus, and it or the frame around it is marked.
function isFocusVisible() {
    const focused = document.activeElement;
    if (!focused || focused === document.body || focused.getBoundingClientRect().width === 0) return false;
    return [focused, focused.closest('label, .composer-box')].some((element) => element && isMarked(element));
}

// The name of the focused element, for messages.
function focusName() {
    const focused = document.activeElement;
    return focused.getAttribute('aria-label') ?? (focused.textContent.trim() || focused.name || focused.localName);
}

// Whether the focused element matches a selector and has a text, if one is given.
function isFocused(selector, text) {
    const focused = document.activeElement;
    return focused.matches(selector) && (text === null || focused.textContent.trim() === text);
}
