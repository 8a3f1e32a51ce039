/** Reads the text of a settings file exactly as git does: git-config(1), and `git_parse_source` in git's config.c. */

/**
 * One setting. Section and key are in lower case.
 * @property section    empty: the text has no section before the key
 * @property subsection null: the section has no subsection. If the text has the form `[section.subsection]`, the subsection is in lower case
 * @property value      null: the key has no `=`. git takes this as true
 */
export interface GitSetting {
  readonly section: string;
  readonly subsection: string | null;
  readonly key: string;
  readonly value: string | null;
}

const BLANK = /[ \t\r\n]/;
const LETTER = /[A-Za-z]/;
const KEY_CHARACTER = /[A-Za-z0-9-]/;
const SECTION_CHARACTER = /[A-Za-z0-9.-]/;
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['b', '\b'],
  ['n', '\n'],
  ['\\', '\\'],
  ['"', '"'],
]);

/** The characters of a text, one after the other. After the last character, git sees one more newline. */
class Characters {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  next(): string {
    return this.#text[this.#at++] ?? '\n';
  }

  /** Returns the characters before the first one that does not match. The next call of `next` returns the one that does not match. */
  takeWhile(pattern: RegExp): string {
    const start = this.#at;
    while (!this.isAtEnd && pattern.test(this.#text[this.#at] ?? '')) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  skipLine(): void {
    while (this.next() !== '\n');
  }
}

/**
 * Returns the settings in the order of the text; null for a text that git refuses. Null also for a text with a NUL, at which git cuts off
 * names and values.
 */
export function parseGitSettings(text: string): readonly GitSetting[] | null {
  if (text.includes('\0')) return null;
  const characters = new Characters(text);
  const settings: GitSetting[] = [];
  let section: Pick<GitSetting, 'section' | 'subsection'> = { section: '', subsection: null };
  while (!characters.isAtEnd) {
    const first = characters.next();
    if (BLANK.test(first)) continue;
    if (isRemark(first)) {
      characters.skipLine();
    } else if (first === '[') {
      const name = readSectionName(characters);
      if (name === null) return null;
      section = splitName(name);
    } else {
      const setting = LETTER.test(first) ? readSetting(first, characters) : null;
      if (setting === null) return null;
      settings.push({ ...section, ...setting });
    }
  }
  return settings;
}

const isRemark = (character: string): boolean => character === '#' || character === ';';

/** Reads up to the `]`. Returns `section` or `section.subsection`, as git does; null: git refuses the text. */
function readSectionName(characters: Characters): string | null {
  const name = characters.takeWhile(SECTION_CHARACTER).toLowerCase();
  let next = characters.next();
  if (next === ']') return name === '' ? null : name;
  if (!BLANK.test(next)) return null;
  while (BLANK.test(next)) {
    if (next === '\n') return null;
    next = characters.next();
  }
  const subsection = next === '"' ? readSubsection(characters) : null;
  return subsection === null || characters.next() !== ']' ? null : `${name}.${subsection}`;
}

/** Reads up to the quote at the end of the subsection. A backslash is left out, and the character after it has no special meaning. */
function readSubsection(characters: Characters): string | null {
  let subsection = '';
  for (let next = characters.next(); next !== '"'; next = characters.next()) {
    const meant = next === '\\' ? characters.next() : next;
    if (meant === '\n') return null;
    subsection += meant;
  }
  return subsection;
}

/** The first dot ends the section. With `[a.b "c"]`, the subsection is `b.c`. */
function splitName(name: string): Pick<GitSetting, 'section' | 'subsection'> {
  const dot = name.indexOf('.');
  return dot < 0
    ? { section: name, subsection: null }
    : { section: name.slice(0, dot), subsection: name.slice(dot + 1) };
}

function readSetting(first: string, characters: Characters): Pick<GitSetting, 'key' | 'value'> | null {
  const key = (first + characters.takeWhile(KEY_CHARACTER)).toLowerCase();
  characters.takeWhile(/[ \t]/);
  const next = characters.next();
  if (next === '\n') return { key, value: null };
  const value = next === '=' ? readValue(characters) : null;
  return value === null ? null : { key, value };
}

/**
 * Reads up to the end of the line, which a backslash can continue. Blanks at both ends do not count. Returns blanks in the middle as
 * written. A git before 2.45 turns each of these blanks into a space.
 */
function readValue(characters: Characters): string | null {
  let [value, blanks, isQuoted] = ['', '', false];
  for (let next = characters.next(); next !== '\n'; next = characters.next()) {
    if (!isQuoted && isRemark(next)) {
      characters.skipLine();
      return value;
    }
    if (!isQuoted && BLANK.test(next)) {
      if (value !== '') blanks += next;
      continue;
    }
    value += blanks;
    blanks = '';
    if (next === '"') {
      isQuoted = !isQuoted;
    } else if (next !== '\\') {
      value += next;
    } else {
      const escaped = characters.next();
      const meant = escaped === '\n' ? '' : ESCAPED.get(escaped);
      if (meant === undefined) return null;
      value += meant;
    }
  }
  return isQuoted ? null : value;
}
