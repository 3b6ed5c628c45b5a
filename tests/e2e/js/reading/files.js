// Whether the details of a tool have a part with this class and text, in its own colour.
function isColoured(tool, className, text) {
    const parts = all(`[data-tool=${tool}] .tool-details .${className}`);
    const part = parts.find((part) => part.textContent === text);
    return !!part && getComputedStyle(part).color !== getComputedStyle(part.closest('pre, .diff-text')).color;
}

// Whether a node is inside a box from left to right; null without a node.
function isWhole(node, box) {
    if (!node) return null;
    const range = new Range();
    range.selectNodeContents(node);
    const part = range.getBoundingClientRect();
    return part.left >= box.left - 1 && part.right <= box.right + 1;
}

// The last text node of an element.
function lastText(element) {
    const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let last = null;
    while (nodes.nextNode()) last = nodes.currentNode;
    return last;
}

// Each path with whether its name and its folders are shown completely.
function shownPaths() {
    return all('[role=log] .row-target, .diff-path').map((path) => {
        const box = path.getBoundingClientRect();
        return [path.textContent, isWhole(lastText(path), box), isWhole(path.querySelector('.path-folders'), box)];
    });
}

// By how many pixels the conversation is wider than its view.
function overflow() {
    return log().scrollWidth - log().clientWidth;
}

// At how many different positions the marks at the end of the rows end.
function rightEdges() {
    const edges = all('[role=log] .row-state').map((mark) => Math.round(mark.getBoundingClientRect().right));
    return new Set(edges).size;
}
