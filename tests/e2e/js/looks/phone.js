// Whether it is as expected that the drawer is open. A moving drawer is neither open nor closed.
function isDrawerOpen(expected) {
    const { left, right } = first('.sidebar').getBoundingClientRect();
    return expected ? left === 0 : right <= 0;
}

// By how many pixels the page is wider than the window.
function overflow() {
    return Math.max(0, document.documentElement.scrollWidth - innerWidth);
}

// For each text of the agent, the kind of the next row and whether the text has buttons.
function answersWithButtons() {
    return rows().flatMap((row, index, all) => {
        if (row.dataset.kind !== 'assistant') return [];
        const { height } = row.querySelector('.row-actions').getBoundingClientRect();
        return [[all[index + 1]?.dataset.kind ?? '', height > 0]];
    });
}

// The font sizes of all elements that match a selector, in pixels.
function fontSizes(selector) {
    return all(selector).map((element) => parseFloat(getComputedStyle(element).fontSize));
}

// Whether all elements that match a selector are inside the window.
function areInWindow(selector) {
    return all(selector).every((element) => {
        const { left, right } = element.getBoundingClientRect();
        return left >= 0 && right <= innerWidth;
    });
}

// The text that the style puts behind an element.
function badge(selector) {
    return getComputedStyle(first(selector), '::after').content;
}

// Replaces the visual viewport by one that the test can resize.
function controlViewport() {
    const view = {
        height: innerHeight,
        width: innerWidth,
        scale: 1,
        pageLeft: 0,
        pageTop: 0,
        offsetLeft: 0,
        offsetTop: 0,
    };
    Object.defineProperty(window, 'visualViewport', { value: Object.assign(new EventTarget(), view) });
}

// Changes the height and the zoom of the visual viewport.
function resizeViewport(height, scale) {
    Object.assign(window.visualViewport, { height, scale });
    window.visualViewport.dispatchEvent(new Event('resize'));
}

// Whether an element ends above a height.
function isAbove(selector, height) {
    return first(selector).getBoundingClientRect().bottom <= height;
}

// Whether an element ends exactly at a height.
function endsAt(selector, height) {
    return first(selector).getBoundingClientRect().bottom === height;
}
