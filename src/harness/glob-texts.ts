/**
 * Finds out whether a glob can lead out of the directory in which its tool searches. A glob can hide a `..`: many tools read `.{.,a}`,
 * `[.].` and `\.\.` as `..`. In a search by name, `*` and `?` never match `..`, so `*` and `?` do not count. A glob that cannot be read
 * with certainty counts as one that leads out.
 */

/** If a glob expands to more texts than this, the glob counts as one that leads out. */
const MAX_TEXTS = 256;

const STARTS_ELSEWHERE = /(^|[{,(|])[/~]/;
const GOES_UP = /(^|[/{,(|])\.\.([/},)|]|$)/;
const ONLY_DOTS = /(^|\/)\.+(\/|$)/;

/** Whether a glob can begin outside of the searched directory: at `/`, or at a home directory (`~`). */
export const startsElsewhere = (glob: string): boolean => isAny(glob, STARTS_ELSEWHERE);

/** Whether a glob can match a path that contains `..`. */
export const goesUp = (glob: string): boolean =>
  isAny(glob, GOES_UP) || (/[+*!]\(/.test(glob) && isAny(glob, ONLY_DOTS));

function isAny(glob: string, form: RegExp): boolean {
  if (form.test(glob)) return true;
  const texts = textsOf(glob);
  return texts === null || texts.some((text) => form.test(text));
}

/**
 * Expands the braces, groups and sets of a glob. Returns null for more than `MAX_TEXTS` texts, for unpaired braces and groups, and for
 * brackets that tools can pair in different ways.
 */
function textsOf(glob: string): readonly string[] | null {
  // Some tools read a `]` directly after `[` as a member of the set. For some tools, `[.` or `[=` in a set begins a POSIX name.
  if (/\\[{}(),|[\]]|\[[!^]?\]|\[[^\]]*\[/.test(glob)) return null;
  const made = alternatives(glob.replaceAll('\\', ''), 0, null);
  return (
    made?.texts.map((text) => text.replace(/\[([^/]*?)\]/g, (_, set: string) => (mayBeDot(set) ? '.' : 'x'))) ?? null
  );
}

/** Whether a set can match a dot. `set` is the text between the brackets. Returns true for every class and for every negated set. */
const mayBeDot = (set: string): boolean => /^[!^]|\.|:|[\0-\x2d]-/.test(set);

interface Made {
  readonly texts: readonly string[];
  readonly end: number;
}

/** Expands the text from `start` to `closing` (null: to the end of the text). Returns null for unpaired brackets or too many texts. */
function alternatives(text: string, start: number, closing: '}' | ')' | null): Made | null {
  const done: string[] = [];
  let open = [''];
  for (let at = start; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '}' || char === ')') return char === closing ? { texts: [...done, ...open], end: at } : null;
    if (char === '{' || char === '(') {
      const inner = alternatives(text, at + 1, char === '{' ? '}' : ')');
      if (inner === null) return null;
      const sign = char === '(' && /[@+*?!]/.test(text[at - 1] ?? '') ? (text[at - 1] ?? '') : '';
      const before = open.map((each) => each.slice(0, each.length - sign.length));
      const options = /[?*!]/.test(sign) ? [...inner.texts, ''] : inner.texts;
      open = before.flatMap((each) => options.map((option) => each + option));
      at = inner.end;
    } else if (closing !== null && (char === ',' || char === '|')) {
      done.push(...open);
      open = [''];
    } else open = open.map((each) => each + char);
    if (open.length + done.length > MAX_TEXTS) return null;
  }
  return closing === null ? { texts: open, end: text.length } : null;
}
