// The draft, the expanded rows and the scroll position.
function readingState() {
    return {
        draft: first('textarea[name=prompt]').value,
        open: all('[role=log] [aria-expanded]').map((row) => row.ariaExpanded),
        scrolled: log().scrollTop,
    };
}

// From now on, holds timers with this pause back.
function holdTimers(pause) {
    const setTimer = window.setTimeout.bind(window);
    window.heldTimers = [];
    window.setTimeout = (run, wanted, ...given) =>
        wanted === pause ? window.heldTimers.push(run) : setTimer(run, wanted, ...given);
}

// Whether a timer is held back.
function hasHeldTimer() {
    return window.heldTimers.length > 0;
}

// Forgets the timers that are held back.
function dropTimers() {
    window.heldTimers.length = 0;
}

// Runs the timers that are held back.
function runTimers() {
    window.heldTimers.splice(0).forEach((run) => run());
}
