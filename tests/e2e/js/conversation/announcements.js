// Records from now on what is announced, and how often the conversation changes.
function listen() {
    const region = first('[data-announcer][role=status]');
    const everything = { childList: true, characterData: true, subtree: true };
    window.announcements = [];
    window.logChanges = 0;
    new MutationObserver(() => window.announcements.push(region.textContent)).observe(region, everything);
    new MutationObserver((changes) => (window.logChanges += changes.length)).observe(log(), everything);
}

// All announcements so far.
function announced() {
    return window.announcements;
}

// Whether there was an announcement with this start.
function isAnnounced(start) {
    return window.announcements.some((text) => text.startsWith(start));
}

// How many changes the conversation has had.
function changes() {
    return window.logChanges;
}

// How many elements of the conversation a screen reader would announce.
function liveRegionsInLog() {
    const isLive = (element) => ['polite', 'assertive'].includes(element.ariaLive) || element.role === 'status';
    return all('[role=log], [role=log] *').filter(isLive).length;
}
