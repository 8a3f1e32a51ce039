/** Finds text with too little contrast, by a script in the page. */

/** Elements whose own text has less than 4.5 : 1 against what is behind it (WCAG 2.2, 1.4.3). */
export const FAINT = `(() => {
  const numbers = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const part = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const backOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = numbers(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll('main *, .bar *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!own || element.getClientRects().length === 0) continue;
    const [front, back] = [light(numbers(getComputedStyle(element).color)), light(backOf(element))];
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < 4.5) found.push(element.tagName + '.' + element.className + ' ' + ratio.toFixed(2));
  }
  return found;
})()`;
