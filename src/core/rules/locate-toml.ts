/** Finds the position of a key or list element in a TOML text. The text must be well formed: the caller parses the text first. */

/** `line` counts from 1; `column` counts from 1, in UTF-16 code units. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

type Path = readonly (string | number)[];

/**
 * Returns the position of the longest prefix of `path` that the text writes out; line 1, column 1 if no prefix is written out. A table that
 * only a dotted key or a header implies (`a` in `a.b = 1`) is not written out.
 * @param path names of keys and indices of list elements (from 0), the outermost first
 */
export function locateToml(text: string, path: Path): TextPlace {
  const offsets = new Scanner(text).offsets();
  for (let length = path.length; length > 0; length--) {
    const offset = offsets.get(JSON.stringify(path.slice(0, length)));
    if (offset !== undefined) return placeAt(text, offset);
  }
  return { line: 1, column: 1 };
}

function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
}

/** Walks over keys, strings, lists and tables, and skips every other value. */
class Scanner {
  readonly #text: string;
  readonly #found = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  offsets(): ReadonlyMap<string, number> {
    let table: Path = [];
    for (this.#blank(); this.#at < this.#text.length; this.#blank()) {
      if (this.#text[this.#at] === '[') table = this.#header();
      else this.#keyAndValue(table);
    }
    return this.#found;
  }

  #note(path: Path, offset: number): void {
    const key = JSON.stringify(path);
    if (!this.#found.has(key)) this.#found.set(key, offset);
  }

  #blank(): void {
    this.#at += /^(?:\s|#[^\n]*)*/.exec(this.#text.slice(this.#at))?.[0].length ?? 0;
  }

  #header(): Path {
    const start = this.#at;
    const isElement = this.#text.startsWith('[[', this.#at);
    this.#at += isElement ? 2 : 1;
    const keys = this.#keys();
    this.#at += isElement ? 2 : 1;
    // In a header, the name of an array of tables means the last table of the array.
    const path: (string | number)[] = [];
    for (const [index, key] of keys.entries()) {
      path.push(key);
      const list = JSON.stringify(path);
      const count = this.#counts.get(list);
      if (isElement && index === keys.length - 1) {
        this.#counts.set(list, (count ?? 0) + 1);
        path.push(count ?? 0);
      } else if (count !== undefined) path.push(count - 1);
    }
    this.#note(path, start);
    return path;
  }

  #keyAndValue(table: Path): void {
    const start = this.#at;
    const path = [...table, ...this.#keys()];
    this.#note(path, start);
    this.#blank();
    this.#at += 1; // the equals sign
    this.#blank();
    this.#value(path);
  }

  #keys(): string[] {
    const keys: string[] = [];
    for (;;) {
      this.#blank();
      const from = this.#at;
      if (/["']/.test(this.#text[this.#at] ?? '')) {
        this.#string();
        keys.push(this.#text.slice(from + 1, this.#at - 1));
      } else {
        this.#at += /^[\w-]*/.exec(this.#text.slice(this.#at))?.[0].length ?? 0;
        keys.push(this.#text.slice(from, this.#at));
      }
      this.#blank();
      if (this.#text[this.#at] !== '.') return keys;
      this.#at += 1;
    }
  }

  #value(path: Path): void {
    const first = this.#text[this.#at] ?? '';
    if (first === '[') this.#elements(path);
    else if (first === '{') this.#inline(path);
    else if (/["']/.test(first)) this.#string();
    else this.#at += Math.max(1, /^[^,\]}\n#]*/.exec(this.#text.slice(this.#at))?.[0].length ?? 0);
  }

  #elements(path: Path): void {
    this.#at += 1;
    for (let index = 0; ; index++) {
      this.#blank();
      if (this.#at >= this.#text.length) return;
      if (this.#text[this.#at] === ']') break;
      this.#note([...path, index], this.#at);
      this.#value([...path, index]);
      this.#blank();
      if (this.#text[this.#at] === ',') this.#at += 1;
    }
    this.#at += 1;
  }

  #inline(path: Path): void {
    this.#at += 1;
    for (;;) {
      this.#blank();
      if (this.#at >= this.#text.length) return;
      if (this.#text[this.#at] === '}') break;
      this.#keyAndValue(path);
      this.#blank();
      if (this.#text[this.#at] === ',') this.#at += 1;
    }
    this.#at += 1;
  }

  #string(): void {
    const quote = this.#text[this.#at] ?? '';
    const isLong = this.#text.startsWith(quote.repeat(3), this.#at);
    const end = isLong ? quote.repeat(3) : quote;
    this.#at += end.length;
    while (this.#at < this.#text.length && !this.#text.startsWith(end, this.#at))
      this.#at += quote === '"' && this.#text[this.#at] === '\\' ? 2 : 1;
    this.#at += end.length;
    if (isLong) while (this.#text[this.#at] === quote) this.#at += 1; // the string itself may end with one or two quotes
  }
}
