// The size in pixels of a CSS token such as `--bar`, or of a CSS expression.
function tokenSize(token) {
    const probe = document.createElement('div');
    probe.style.width = token.startsWith('--') ? `var(${token})` : token;
    probe.style.position = 'fixed';
    document.body.append(probe);
    const size = parseFloat(getComputedStyle(probe).width);
    probe.remove();
    return size;
}

// The heights of all elements that match a selector.
function heights(selector) {
    return all(selector).map((element) => element.getBoundingClientRect().height);
}

// The font size and the line height of the last element that matches a selector.
function textSizes(selector) {
    const { fontSize, lineHeight } = getComputedStyle(all(selector).at(-1));
    return [parseFloat(fontSize), parseFloat(lineHeight)];
}

// Whether the option with this index is selected, and it alone has an outline.
function isOnlyOutlined(index) {
    const options = all('[role=option]');
    const isOutlined = (option) => getComputedStyle(option).outlineStyle === 'solid';
    return (
        options.length > 1 &&
        options[index].ariaSelected === 'true' &&
        options.every((option, number) => isOutlined(option) === (number === index))
    );
}

// A colour in the form of computed styles.
function computedColour(colour) {
    const probe = document.createElement('div');
    probe.style.color = colour;
    document.body.append(probe);
    const computed = getComputedStyle(probe).color;
    probe.remove();
    return computed;
}

// The colour that the browser's own bars get.
function themeColour() {
    return computedColour(all('meta[name=theme-color]').find((meta) => matchMedia(meta.media).matches).content);
}

// Whether that colour is the background of the page.
function isThemeColourPaper() {
    return themeColour() === computedColour('var(--paper)');
}

// Whether it is as expected that something is animated.
function isMoving(expected) {
    return document.getAnimations().length > 0 === expected;
}

// Whether an element has a transition that takes time.
function hasTransitions() {
    const durations = (element) => getComputedStyle(element).transitionDuration.split(', ');
    return all('*').some((element) => durations(element).some((time) => parseFloat(time) > 0));
}

// For each icon of the manifest, whether it has the size that the manifest says.
async function iconsHaveTheirSize() {
    const manifest = first('link[rel=manifest]').href;
    const { icons } = await (await fetch(manifest)).json();
    const hasItsSize = async (icon) => {
        const image = new Image();
        image.src = new URL(icon.src, manifest);
        await image.decode();
        return `${image.naturalWidth}x${image.naturalHeight}` === icon.sizes;
    };
    return Promise.all(icons.map(hasItsSize));
}

// Whether the window has this width, and nothing that cannot scroll by itself is wider.
function fitsWidth(width) {
    const scrolls = 'pre, .table-frame, .visually-hidden';
    const isTooWide = (element) =>
        element.offsetParent && !element.closest(scrolls) && element.getBoundingClientRect().right > innerWidth + 1;
    const fits = document.documentElement.scrollWidth <= innerWidth && !all('main *').some(isTooWide);
    return innerWidth === width && fits;
}
