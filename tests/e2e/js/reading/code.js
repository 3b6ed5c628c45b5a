// The last block of code.
function lastCode() {
    return all('.code-block code').at(-1);
}

// Whether the document has loaded the highlighter.
function isHighlighterLoaded() {
    return performance.getEntriesByType('resource').some((entry) => entry.name.includes('highlight-web'));
}

// Whether the last block of code has a part with this class and text, in its own colour.
function isColoured(className, text) {
    const parts = all(`.${className}`, lastCode());
    const part = parts.find((part) => part.textContent === text);
    return !!part && getComputedStyle(part).color !== getComputedStyle(lastCode()).color;
}

// The element of the first keyword.
function firstKeyword() {
    return first('.code-block .code-keyword');
}

// Remembers the element of the first keyword.
function rememberFirstKeyword() {
    window.firstKeywordElement = firstKeyword();
}

// Whether the first keyword is still the remembered element.
function isFirstKeywordKept() {
    return window.firstKeywordElement.isConnected && window.firstKeywordElement === firstKeyword();
}

// The markup of the first block of code.
function codeMarkup() {
    return first('.code-block').outerHTML;
}

// The last block of code as a selection has it, and as its element has it.
function selectedCode() {
    getSelection().selectAllChildren(lastCode());
    return [getSelection().toString(), lastCode().textContent];
}
