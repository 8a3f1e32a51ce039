/**
 * Finds out whether a glob can lead out of the directory in which its tool works, however the glob is spelled: `.{.,a}`, `[.].` and `\.\.`
 * are `..` for many tools. A search by name does not match `*` or `?` with `..`, so these two do not count. A glob that cannot be read with
 * certainty is taken to lead out.
 */

/** A glob that makes more texts is taken to lead anywhere. */
const MAX_TEXTS = 256;

const STARTS_ELSEWHERE = /(^|[{,(|])[/~]/;
const GOES_UP = /(^|[/{,(|])\.\.([/},)|]|$)/;
const ONLY_DOTS = /(^|\/)\.+(\/|$)/;

/** Whether a glob can begin at another place than the tool's directory: at `/`, or at the home directory. */
export const startsElsewhere = (glob: string): boolean => isAny(glob, STARTS_ELSEWHERE);

/** Whether a glob can go up (`..`) at some place in it. */
export const goesUp = (glob: string): boolean =>
  isAny(glob, GOES_UP) || (/[+*!]\(/.test(glob) && isAny(glob, ONLY_DOTS));

function isAny(glob: string, form: RegExp): boolean {
  if (form.test(glob)) return true;
  const texts = textsOf(glob);
  return texts === null || texts.some((text) => form.test(text));
}

/**
 * Returns the texts that a glob makes from its braces and groups. Returns null if they are too many, or if tools can disagree about
 * which brackets are a pair.
 */
function textsOf(glob: string): readonly string[] | null {
  // Some tools take a `]` that is first in a set for a member, and `[.` or `[=` for the beginning of a name.
  if (/\\[{}(),|[\]]|\[[!^]?\]|\[[^\]]*\[/.test(glob)) return null;
  const made = alternatives(glob.replaceAll('\\', ''), 0, null);
  return (
    made?.texts.map((text) => text.replace(/\[([^/]*?)\]/g, (_, set: string) => (mayBeDot(set) ? '.' : 'x'))) ?? null
  );
}

/** Whether the set between two brackets can contain a dot: by itself, by a range or a class, or because the set is negated. */
const mayBeDot = (set: string): boolean => /^[!^]|\.|:|[\0-\x2d]-/.test(set);

interface Made {
  readonly texts: readonly string[];
  readonly end: number;
}

/** Expands the text from `start` to `closing` (null: to its end). Returns null if the brackets do not pair, or the texts are too many. */
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
