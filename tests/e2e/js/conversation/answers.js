// The tooltips of the question's buttons by their names.
function tooltips() {
    return Object.fromEntries(all('[data-ask-id] button').map((button) => [button.textContent.trim(), button.title]));
}

// Whether the field of an answer has the focus and this text.
function isEditing(text) {
    const field = document.activeElement;
    return field?.name === 'answer' && field.value === text;
}

// How many unfinished answers the tab has stored.
function answerDrafts() {
    return Object.keys(sessionStorage).filter((key) => key.startsWith('pilothouse.answer.')).length;
}

// Whether it is as expected that the button for yes is visible in the conversation.
function isQuestionInView(expected) {
    const box = first('[data-ask-id] [data-answer=yes]').getBoundingClientRect();
    return isInside(box, log().getBoundingClientRect()) === expected;
}
