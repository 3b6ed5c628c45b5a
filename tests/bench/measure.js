// Measures any page from inside, in the same way: it only uses the attributes that a page has for tests. Runs before the
// page's own scripts.

window.measure = (() => {
    const MOMENT = 100;
    const tasks = [];
    const keys = [];
    let pressed = 0;
    let stream = {};
    let showing;

    // The measurement of an answer starts when its first piece arrives, so that the server does not count.
    window.WebSocket = class extends WebSocket {
        constructor(address) {
            super(address);
            this.addEventListener('message', (event) => {
                if (!stream.arrived && event.data.includes('"text_delta"')) stream.arrived = performance.now();
            });
        }
    };

    new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: 'longtask', buffered: true });

    // Resolves with the time at which the current state has been painted.
    const painted = () =>
        new Promise((done) => {
            requestAnimationFrame(() => {
                const { port1, port2 } = new MessageChannel();
                port1.onmessage = () => done(performance.now());
                port2.postMessage(null);
            });
        });

    // The time from the key to the paint that shows its letter, only while an answer streams.
    addEventListener('keydown', (event) => (pressed = event.timeStamp), true);
    addEventListener('input', () => {
        const since = pressed;
        if (stream.arrived) painted().then((now) => keys.push(now - since));
    });

    // Waits until a condition holds.
    const until = (holds) =>
        new Promise((done) => {
            if (holds()) return done();
            const observer = new MutationObserver(() => {
                if (!holds()) return;
                observer.disconnect();
                done();
            });
            observer.observe(document.body, { subtree: true, childList: true, attributes: true });
        });

    // Observed from the start, so that the measurement does not depend on when it is asked for.
    const interactive = new Promise((done) => {
        addEventListener('DOMContentLoaded', async () => {
            const row = 'main[data-session-id] [role=log] [data-message-id]';
            const composer = 'main textarea[name=prompt]:enabled';
            await until(() => document.querySelector(row) && document.querySelector(composer));
            done(await painted());
        });
    });

    // Waits until nothing has changed for a moment, as a reader does before opening another conversation.
    const rest = () =>
        new Promise((done) => {
            let timer;
            const observer = new MutationObserver(() => wait());
            const wait = () => {
                clearTimeout(timer);
                timer = setTimeout(() => {
                    observer.disconnect();
                    done();
                }, MOMENT);
            };
            observer.observe(document.body, { subtree: true, childList: true, attributes: true });
            wait();
        });

    // The row of the last answer.
    const lastAnswer = () => [...document.querySelectorAll('[role=log] [data-kind=assistant]')].at(-1);

    return {
        // Waits until the page is at rest, and measures from the next click until the session is painted.
        async prepare(id) {
            await rest();
            const clicked = new Promise((done) => {
                addEventListener('click', (event) => done(event.timeStamp), { capture: true, once: true });
            });
            const measure = async () => {
                const start = await clicked;
                await until(() => document.querySelector(`main[data-session-id="${id}"] [role=log] [data-message-id]`));
                return (await painted()) - start;
            };
            showing = measure();
        },

        // The time that showing the session took.
        shown: () => showing,

        // Measures the run that starts next, until its answer ends with these words.
        begin(end) {
            const own = { updates: 0, first: 0, last: 0, done: false };
            stream = own;
            keys.length = 0;
            tasks.length = 0;
            let frame;
            const changes = new MutationObserver(() => {
                // The same value for everything that is painted in one frame.
                const now = document.timeline.currentTime;
                if (now === frame || !own.arrived) return;
                frame = now;
                own.updates += 1;
                own.last = performance.now();
                own.first ||= own.last;
            });
            const log = document.querySelector('[role=log]');
            changes.observe(log, { subtree: true, childList: true, characterData: true });
            const main = document.querySelector('main');
            const before = lastAnswer();
            // A run that starts and ends within a frame only ever shows its last state.
            const whole = new MutationObserver(async () => {
                if (main.dataset.state !== 'completed' || lastAnswer() === before) return;
                if (!lastAnswer().textContent.includes(end)) return;
                whole.disconnect();
                const now = await painted();
                changes.disconnect();
                own.took = now - own.arrived;
                own.done = true;
            });
            whole.observe(log, { subtree: true, childList: true, characterData: true });
            whole.observe(main, { attributes: true, attributeFilter: ['data-state'] });
        },

        // The measurement of the run.
        end() {
            const sorted = keys.toSorted((a, b) => a - b);
            return {
                took: stream.took,
                updates: stream.updates / (Math.max(1, stream.last - stream.first) / 1000),
                key: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
                keys: keys.length,
                task: Math.max(0, ...tasks.map((task) => task.duration)),
                letters: lastAnswer().textContent.length,
            };
        },

        // Whether the run has ended.
        isDone: () => stream.done,

        // The loaded files with their compressed size.
        loaded: () =>
            performance
                .getEntriesByType('resource')
                .filter((entry) => /\.(wasm|js|css)$/.test(new URL(entry.name).pathname))
                .map((entry) => ({ name: entry.name, bytes: entry.encodedBodySize })),

        // The time from the navigation until the session and a composer that accepts input are painted.
        interactive: () => interactive,
    };
})();
