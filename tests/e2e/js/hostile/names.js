// Whether a hit of the search marks this text, in small letters.
function isHit(text) {
    return all('nav .hit mark').some((mark) => mark.textContent.toLowerCase() === text);
}
