// The kind and the text of every row.
function shownRows() {
    return rows().map((row) => ({ kind: row.dataset.kind, text: row.textContent }));
}

// The texts and labels of questions that contain invisible characters.
function hiddenCharacters() {
    const invisible = /[\0-\x08\u200b-\u200f\u202a-\u202e\u2066-\u2069]/;
    const textsOf = (part) => [part.textContent, part.ariaLabel ?? '', part.placeholder ?? ''];
    return all('[data-ask-id], [data-ask-id] [placeholder]')
        .flatMap(textsOf)
        .filter((text) => invisible.test(text));
}
