// Records the theme at every step of loading the document, before the page's own scripts run.
function recordThemes() {
    window.themes = [];
    document.addEventListener('readystatechange', () => {
        window.themes.push(document.documentElement.dataset.theme ?? 'none');
    });
}

// The first recorded theme.
function firstTheme() {
    return window.themes[0];
}
