/**
 * Parses JSON as people write it in settings: with comments, trailing commas, unquoted names and single quotes (JSON5).
 * Every node has its offsets in the text, so that an edit can leave all other text unchanged.
 */
import type { Fault } from '../fault.ts';
import { failed, type Result, success } from '../result.ts';

/**
 * `start` and `end` are offsets in UTF-16 units; `end` is after the last character. `comma` is the offset of a trailing comma; null: no
 * trailing comma.
 */
export type JsonNode =
  | {
      readonly kind: 'object';
      readonly start: number;
      readonly end: number;
      readonly members: readonly JsonMember[];
      readonly comma: number | null;
    }
  | {
      readonly kind: 'array';
      readonly start: number;
      readonly end: number;
      readonly items: readonly JsonNode[];
      readonly comma: number | null;
    }
  | { readonly kind: 'scalar'; readonly start: number; readonly end: number; readonly value: unknown };

interface JsonMember {
  readonly start: number;
  readonly key: string;
  readonly value: JsonNode;
}

/** Why the text cannot be parsed, and the place of the error. Line and column begin with 1; the column counts UTF-16 units. */
export interface JsonFault extends Fault {
  readonly line: number;
  readonly column: number;
}

class ParseError extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** How deep lists and objects may be nested. */
const DEEPEST = 200;

/** Parses the whole text, which may begin with a byte order mark. Fails if an object has the same name twice. */
export function parseJsonc(text: string): Result<JsonNode, JsonFault> {
  const reader = new Reader(text);
  try {
    return success(reader.document());
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const before = text.slice(0, error.at).split('\n');
    return failed({ message: error.message, line: before.length, column: (before.at(-1) ?? '').length + 1 });
  }
}

class Reader {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith('\uFEFF') ? 1 : 0;
  }

  document(): JsonNode {
    const node = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) throw new ParseError('there is text after the end', this.#at);
    return node;
  }

  #value(depth: number): JsonNode {
    this.#skip();
    if (depth > DEEPEST) throw new ParseError('nested too deeply', this.#at);
    const character = this.#text[this.#at];
    if (character === '{') return this.#object(depth);
    if (character === '[') return this.#array(depth);
    const start = this.#at;
    const value = character === '"' || character === "'" ? this.#string() : this.#word();
    return { kind: 'scalar', start, end: this.#at, value };
  }

  #object(depth: number): JsonNode {
    const start = this.#at++;
    const members: JsonMember[] = [];
    const comma = this.#list('}', () => {
      const at = this.#at;
      const quote = this.#text[at];
      const key = quote === '"' || quote === "'" ? this.#string() : this.#name();
      if (members.some((one) => one.key === key))
        throw new ParseError(`the name ${JSON.stringify(key)} appears twice`, at);
      this.#skip();
      this.#expect(':');
      members.push({ start: at, key, value: this.#value(depth + 1) });
    });
    return { kind: 'object', start, end: this.#at, members, comma };
  }

  #array(depth: number): JsonNode {
    const start = this.#at++;
    const items: JsonNode[] = [];
    const comma = this.#list(']', () => items.push(this.#value(depth + 1)));
    return { kind: 'array', start, end: this.#at, items, comma };
  }

  /** Reads entries up to `close`. Returns the offset of a trailing comma; null: no trailing comma. */
  #list(close: string, readOne: () => void): number | null {
    let comma: number | null = null;
    for (let count = 0; ; count++) {
      this.#skip();
      if (this.#text[this.#at] === close) break;
      if (count > 0 && comma === null) throw new ParseError(`expected , or ${close}`, this.#at);
      readOne();
      this.#skip();
      comma = this.#text[this.#at] === ',' ? this.#at++ : null;
    }
    this.#at++;
    return comma;
  }

  #string(): string {
    const start = this.#at;
    const quote = this.#text[this.#at++];
    while (this.#text[this.#at] !== quote) {
      const character = this.#text[this.#at];
      if (character === undefined || character === '\n')
        throw new ParseError('this string has no closing quote', start);
      this.#at += character === '\\' ? 2 : 1;
    }
    this.#at++;
    const body = this.#text.slice(start + 1, this.#at - 1);
    const double = quote === '"' ? body : body.replaceAll(/\\.|"/gs, inDoubleQuotes);
    try {
      return JSON.parse(`"${double}"`) as string;
    } catch {
      throw new ParseError('this string has an escape or a character that JSON does not allow', start);
    }
  }

  #name(): string {
    const found = /^[A-Za-z_$][\w$]*/.exec(this.#text.slice(this.#at, this.#at + 200));
    if (found === null) throw new ParseError('expected a name', this.#at);
    this.#at += found[0].length;
    return found[0];
  }

  #word(): unknown {
    const found = /^[^\s,:{}[\]"'/]+/.exec(this.#text.slice(this.#at, this.#at + 200))?.[0];
    if (found === undefined) throw new ParseError('expected a value', this.#at);
    if (!/^(true|false|null|[-+]?(\d[\d.eE+-]*|0x[0-9a-fA-F]+|\.\d[\deE+-]*|Infinity|NaN))$/.test(found))
      throw new ParseError(`expected a value and found ${found.slice(0, 20)}`, this.#at);
    const value = found === 'null' ? null : found === 'true' ? true : found === 'false' ? false : numberOf(found);
    if (Number.isNaN(value) && !found.endsWith('NaN')) throw new ParseError(`${found} is not a number`, this.#at);
    this.#at += found.length;
    return value;
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw new ParseError(`expected ${character}`, this.#at);
    this.#at++;
  }

  /** Moves past blanks and comments. */
  #skip(): void {
    const blank = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
    blank.lastIndex = this.#at;
    while (blank.test(this.#text)) this.#at = blank.lastIndex;
    blank.lastIndex = this.#at;
    if (this.#text.startsWith('/*', this.#at)) throw new ParseError('this comment has no end', this.#at);
  }
}

/**
 * Returns the text that has the same meaning in a double-quoted string.
 * @param found an escape or a bare `"` in a single-quoted string
 */
const inDoubleQuotes = (found: string): string => (found === "\\'" ? "'" : found === '"' ? '\\"' : found);

/** Returns the value of this node in plain objects, arrays and scalars, as `JSON.parse` does for plain JSON. */
export function plainValue(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'array') return node.items.map(plainValue);
  return Object.fromEntries(node.members.map(({ key, value }) => [key, plainValue(value)]));
}

/** Returns NaN if the text is not a number. JSON5 allows a sign in front of a hexadecimal number, but `Number` does not. */
function numberOf(text: string): number {
  const [, sign, hexadecimal] = /^([-+])(0x.*)$/.exec(text) ?? [];
  return hexadecimal === undefined ? Number(text) : Number(hexadecimal) * (sign === '-' ? -1 : 1);
}
