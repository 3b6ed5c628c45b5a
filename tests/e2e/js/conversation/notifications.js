// Records the notifications and sounds of the page, and lets them happen.
function record() {
    window.recorded = { notifications: [], notes: 0 };
    window.Notification = class extends Notification {
        constructor(title, options) {
            super(title, options);
            window.recorded.notifications.push([title, options?.body, options?.tag]);
        }
    };
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) {
        window.recorded.notes += 1;
        return start.apply(this, when);
    };
}

// The notifications and the number of sounds so far.
function recorded() {
    return [window.recorded.notifications, window.recorded.notes];
}

// Removes the recorded notifications and returns how many there were.
function forgetNotifications() {
    return window.recorded.notifications.splice(0).length;
}

// Whether there was one notification and one sound.
function isNotifiedOnce() {
    return window.recorded.notifications.length === 1 && window.recorded.notes === 1;
}

// Makes the constructor of notifications fail.
function forbid() {
    window.Notification = class {
        static permission = 'granted';
        constructor() {
            throw new TypeError('Illegal constructor');
        }
    };
}

// Whether the settings explain that there are no notifications, and all switches are off.
function isExplained() {
    const words = all('.menu-words').find((words) => words.textContent.includes('Notifications are blocked'));
    return !!words && !words.hidden && !first('[role=switch][aria-checked=true]');
}
