/** Decides whether a sed script is harmless: it has none of the commands `e`, `r`, `R`, `w` and `W`, and `s` has no flag `e` or `w`. */

/**
 * Reads the script by the rules of GNU sed(1). A script that is not understood counts as harmful. A script that another sed (busybox, BSD,
 * older GNU sed) may divide into other commands counts as harmful, too.
 */
export const isHarmlessSedScript = (script: string): boolean => new SedScanner(script).isHarmless();

/** The delimiters that are understood. No such delimiter begins or ends a bracket expression or a block. */
const DELIMITER = /^[!#%&'"+,\-./:;=@^_|~]$/;

/**
 * One member of a bracket expression. Three forms are left out, because seds disagree about them: `[.…]`, `[=…]`, and a backslash in front
 * of a bracket or of another backslash.
 */
const MEMBER = /\[:[a-z]+:\]|\[(?![.:=])|\\[^[\]\\]|[^[\\]/y;

/**
 * Whether all bracket expressions of a regular expression are closed, and every sed finds the same bracket expressions. Older GNU seds end
 * the regular expression at a delimiter inside a bracket expression; GNU sed 4.9, busybox and the BSD seds do not.
 */
function hasPlainBrackets(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    if (text[at] !== '[') at += text[at] === '\\' ? 2 : 1;
    else {
      const end = endOfBrackets(text, at);
      if (end === null) return false;
      at = end;
    }
  }
  return true;
}

/** Returns the index after the bracket expression at `open`; null if the expression is not closed, or seds disagree about its end. */
function endOfBrackets(text: string, open: number): number | null {
  let at = open + (text[open + 1] === '^' ? 2 : 1);
  const members: string[] = [];
  while (members.length === 0 || text[at] !== ']') {
    MEMBER.lastIndex = at;
    const member = MEMBER.exec(text)?.[0];
    if (member === undefined) return null;
    members.push(member);
    at += member.length;
  }
  // If an expression contains a class such as `[:alpha:]`, busybox ends the whole expression at the `]` of this class. A `[` after the
  // class then begins a new expression.
  const isClear = !members.includes('[') || members.every((each) => !each.startsWith('[:'));
  return isClear ? at + 1 : null;
}

class SedScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isHarmless(): boolean {
    if (this.#text.endsWith('\\') || this.#text.includes('\0')) return false;
    while (this.#at < this.#text.length) {
      this.#take(/^[ \t\n;]*/);
      if (this.#at >= this.#text.length) return true;
      if (!this.#address() || !this.#command()) return false;
    }
    return true;
  }

  #take(pattern: RegExp): string | null {
    const found = pattern.exec(this.#text.slice(this.#at))?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }

  /** Reads up to two addresses. */
  #address(): boolean {
    if (!this.#oneAddress()) return false;
    this.#take(/^[ \t]*/);
    if (this.#take(/^,[ \t]*/) !== null && this.#take(/^[+~]\d+/) === null && !this.#oneAddress()) return false;
    this.#take(/^[ \t!]*/);
    return true;
  }

  #oneAddress(): boolean {
    if (this.#take(/^(?:\d+(?:~\d+)?|\$)/) !== null) return true;
    const open = this.#take(/^(?:\/|\\.)/s);
    if (open === null) return true;
    if (this.#delimited(open.slice(-1)) === null) return false;
    this.#take(/^[IM]*/);
    return true;
  }

  #command(): boolean {
    const name = this.#text[this.#at++] ?? '';
    if (name === '{') return true;
    if ('}=dDgGhHnNpPxzF'.includes(name)) return this.#isOver();
    if ('lqQ'.includes(name)) return this.#take(/^[ \t]*\d*/) !== null && this.#isOver();
    if ('bt:T'.includes(name)) return this.#take(/^[ \t]*[\w.-]*[ \t]*(?=[;\n}]|$)/) !== null;
    if ('aic'.includes(name)) return this.#take(/^[ \t]*[^\s\\][^\n\\]*(?:\n|$)/) !== null;
    if (name === 's') return this.#substitute();
    return name === 'y' && this.#pair() !== null && this.#isOver();
  }

  #substitute(): boolean {
    if (this.#pair() === null) return false;
    this.#take(/^[gpiIMm0-9]*/);
    return this.#isOver();
  }

  #pair(): true | null {
    const delimiter = this.#text[this.#at++] ?? '';
    return this.#delimited(delimiter) !== null && this.#delimited(delimiter) !== null ? true : null;
  }

  /**
   * Takes the text up to the next delimiter, and the delimiter. Returns null if `delimiter` is not in `DELIMITER`, if no delimiter follows,
   * if the text has a line break, or if the delimiter may be in a bracket expression.
   */
  #delimited(delimiter: string): string | null {
    const from = this.#at;
    if (!DELIMITER.test(delimiter)) return null;
    for (; this.#at < this.#text.length; this.#at++) {
      if (this.#text[this.#at] === '\\') this.#at += 1;
      else if (this.#text[this.#at] === delimiter) {
        const body = this.#text.slice(from, this.#at++);
        return hasPlainBrackets(body) && !body.includes('\n') ? body : null;
      }
    }
    return null;
  }

  /** Skips blanks. Returns whether the command ends there. */
  #isOver(): boolean {
    return this.#take(/^[ \t]*(?=[;\n}]|$)/) !== null;
  }
}
