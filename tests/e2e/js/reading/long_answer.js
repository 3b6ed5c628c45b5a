// The paragraphs of the answer that are built.
function paragraphs() {
    return all('[role=log] .markdown p');
}

// The first paragraph that is at least partly visible.
function firstVisible() {
    const edge = log().getBoundingClientRect().top;
    return paragraphs().find((paragraph) => paragraph.getBoundingClientRect().bottom > edge);
}

// The position of a block in the next painted frame. A script that looks earlier sees it before the page has corrected the
// scroll position for blocks that were built.
function paintedTop(block) {
    return new Promise((done) => {
        const observer = new IntersectionObserver(([entry]) => {
            observer.disconnect();
            done(entry.boundingClientRect.top);
        });
        observer.observe(block);
    });
}

// Scrolls up in steps, and returns the start and the position of the first visible paragraph.
async function scrollUp(steps) {
    for (; steps > 0; steps -= 1) {
        log().scrollTop -= 600;
        await frames(8);
    }
    return { text: firstVisible().textContent.slice(0, 16), top: firstVisible().getBoundingClientRect().top };
}

// Whether a paragraph is at its place, apart from rounding.
function isParagraphAt(place) {
    const paragraph = paragraphs().find((paragraph) => paragraph.textContent.startsWith(place.text));
    return !!paragraph && Math.abs(paragraph.getBoundingClientRect().top - place.top) <= 2;
}

// Scrolls the conversation by so many pixels.
function scrollBy(pixels) {
    log().scrollTop += pixels;
}

// The scroll position in pixels.
function position() {
    return log().scrollTop;
}

// Whether the conversation is scrolled to its end.
function isAtEnd() {
    return scrollPosition() === null;
}

// Scrolls up in steps. After each, watches in painted frames whether the first visible paragraph moves while blocks
// above are built and blocks below are dropped.
async function watchScrollingUp() {
    let moved = 0;
    let most = 0;
    for (let step = 0; step < 40; step += 1) {
        log().scrollTop -= 450;
        const block = firstVisible();
        const { top } = block.getBoundingClientRect();
        for (let count = 0; count < 6; count += 1) {
            moved = Math.max(moved, Math.abs((await paintedTop(block)) - top));
        }
        most = Math.max(most, paragraphs().length);
    }
    return { moved, most, isEndDropped: !log().textContent.includes('Paragraph 399.') };
}

// Scrolls up in the moment in which a copy builds the whole answer at once, before the browser has reported its size.
async function scrollWhileBuilding() {
    const last = paragraphs().at(-1);
    for (let before = 0; before !== last.getBoundingClientRect().top; ) {
        before = last.getBoundingClientRect().top;
        await frames(6);
    }
    const height = log().scrollHeight;
    document.activeElement.blur();
    getSelection().selectAllChildren(last.closest('.markdown'));
    log().scrollTop -= 60;
    const block = firstVisible();
    const { top } = block.getBoundingClientRect();
    window.dispatchEvent(new Event('copy'));
    const tops = [await paintedTop(block), await paintedTop(block)];
    const moved = Math.max(...tops.map((painted) => Math.abs(painted - top)));
    return { moved, grown: Math.abs(log().scrollHeight - height) };
}

// Copies a paragraph that is built, so that nothing changes its size, scrolls up, and returns the scroll position.
async function scrollAfterCopying() {
    await frames(12);
    document.activeElement.blur();
    getSelection().selectAllChildren(paragraphs().at(-1));
    window.dispatchEvent(new Event('copy'));
    log().scrollTop -= 60;
    return log().scrollTop;
}

// Whether the composer contains these paragraphs.
function isPasted(numbers) {
    const text = first('textarea[name=prompt]').value;
    return numbers.every((number) => text.includes(`Paragraph ${number}.`));
}

// Selects from the first to the last built paragraph and returns the selected text.
function selectParagraphs() {
    const built = paragraphs();
    log().focus();
    getSelection().setBaseAndExtent(built[0], 0, built.at(-1), 1);
    return getSelection().toString();
}

// Selects the whole document.
function selectEverything() {
    log().focus();
    getSelection().selectAllChildren(document.body);
}

// Watches from now on for the first painted frame that shows a paragraph, and keeps where its text is.
function watchFirstFrame() {
    const painted = () =>
        new Promise((done) =>
            requestAnimationFrame(() => {
                const { port1, port2 } = new MessageChannel();
                port1.onmessage = done;
                port2.postMessage(null);
            }),
        );
    const watch = async () => {
        while (paragraphs().length === 0) await painted();
        return {
            view: log().getBoundingClientRect(),
            boxes: paragraphs().map((paragraph) => paragraph.getBoundingClientRect()),
        };
    };
    window.firstFrame = watch();
}

// At how many of twenty heights of the view that frame had no text, apart from the space between two paragraphs.
async function blankHeights() {
    const { view, boxes } = await window.firstFrame;
    const heights = Array.from({ length: 20 }, (_, part) => view.top + 8 + ((view.height - 16) * part) / 20);
    const hasText = (height) => boxes.some((box) => box.top - 24 <= height && box.bottom + 24 >= height);
    return heights.filter((height) => !hasText(height)).length;
}
