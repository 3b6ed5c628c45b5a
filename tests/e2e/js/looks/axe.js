// Whether axe-core is loaded.
function isLoaded() {
    return !!window.axe;
}

// Rules that do not apply inside these elements: the model chooses the order of headings, and a list that a field moves
// through needs no stop for the keyboard.
const EXCUSED = { 'heading-order': '[data-message-id]', 'scrollable-region-focusable': '[role=listbox]' };

// Whether a violation is excused.
function isExcused(id, { target }) {
    return id in EXCUSED && !!document.querySelector(target)?.closest(EXCUSED[id]);
}

// The violations as lines of text, of everything or only of colours.
async function violations(onlyColours) {
    const options = { resultTypes: ['violations'], ...(onlyColours ? { runOnly: ['color-contrast'] } : {}) };
    const found = await window.axe.run(document, options);
    return found.violations.flatMap(({ id, help, nodes }) => {
        const line = ({ target, html, any }) =>
            `${id}: ${help} — ${target} ${html.slice(0, 160)} ${any[0]?.message ?? ''}`;
        return nodes.filter((node) => !isExcused(id, node)).map(line);
    });
}
