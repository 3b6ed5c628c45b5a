// The Markdown blocks of the last answer.
function liveBlocks() {
    const [live] = all('[role=log] [data-kind=assistant]').slice(-1);
    return [...(live?.querySelector('.markdown')?.children ?? [])];
}

// Watches every frame until the run is over. Positions count from the top of the conversation, so that scrolling is no
// movement. The last two blocks of the growing row may still change. With `away`, scrolls up after some frames, between
// two frames as a reader does.
async function watchRun(away) {
    const content = log().firstElementChild;
    const seen = { frames: 0, grown: 0, faults: [], tags: [], scrolledUp: false };
    const fault = (text) => seen.faults.length < 20 && seen.faults.push(text);
    const offset = (element) => element.getBoundingClientRect().top - content.getBoundingClientRect().top;
    const offsets = new Map();
    let blocks = [];
    let reading = null;
    let height = 0;

    const checkRows = () => {
        for (const row of rows().slice(0, -1)) {
            const [now, before] = [offset(row), offsets.get(row)];
            if (before !== undefined && Math.abs(now - before) > 1) fault(`a row moved by ${now - before}`);
            offsets.set(row, now);
        }
    };
    const checkBlocks = () => {
        const now = liveBlocks();
        blocks.slice(0, -2).forEach(({ element, before }, index) => {
            if (now[index] !== element) fault(`${element.localName} ${index} was built again`);
            else if (Math.abs(offset(element) - before) > 1) fault(`${element.localName} ${index} moved`);
        });
        if (now.length < blocks.length - 1) fault(`${blocks.length} blocks became ${now.length}`);
        blocks = now.map((element) => ({ element, before: offset(element) }));
    };
    const checkSize = () => {
        if (content.scrollHeight > height) {
            seen.grown += 1;
            height = content.scrollHeight;
        }
        if (document.documentElement.scrollWidth > innerWidth) fault('the page became wider than the window');
    };
    const startReading = async () => {
        await new Promise((done) => setTimeout(done));
        log().scrollTop = Math.max(0, log().scrollTop - 400);
        await frames(2);
        const edge = log().getBoundingClientRect().top;
        const row = rows().find((row) => row.getBoundingClientRect().bottom > edge);
        reading = { row, top: row.getBoundingClientRect().top, scrolled: log().scrollTop };
    };
    const checkReading = () => {
        if (log().scrollTop !== reading.scrolled) fault(`scrolled by ${log().scrollTop - reading.scrolled}`);
        if (Math.abs(reading.row.getBoundingClientRect().top - reading.top) > 1) fault('the row being read moved');
    };

    while (first('main').dataset.state !== 'completed' && seen.frames < 6000) {
        await frames(1);
        seen.frames += 1;
        checkRows();
        checkBlocks();
        checkSize();
        if (reading) checkReading();
        else if (away && seen.frames > 30) await startReading();
    }
    const elements = liveBlocks().flatMap((block) => [block, ...block.querySelectorAll('*')]);
    seen.tags = [...new Set(elements.map((element) => element.localName))];
    seen.scrolledUp = !!reading;
    return seen;
}
