/** Whether a sed script does nothing but edit text: no `e`, `r`, `R`, `w`, `W`, and no `e` or `w` flag of `s`. */

/** Reads the script by the rules of GNU sed(1). A script that is not understood counts as harmful. */
export const isHarmlessSedScript = (script: string): boolean => new SedScanner(script).isHarmless();

class SedScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isHarmless(): boolean {
    if (this.#text.endsWith('\\') || this.#text.includes('\0')) return false;
    while (this.#at < this.#text.length) {
      this.#take(/^[\s;]*/);
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
    const open = this.#take(/^(?:\/|\\[^\n\\])/);
    if (open === null) return true;
    if (this.#delimited(open.slice(-1)) === null) return false;
    this.#take(/^[IM]*/);
    return true;
  }

  #command(): boolean {
    const name = this.#text[this.#at++] ?? '';
    if ('{}=dDgGhHnNpPxzF'.includes(name)) return this.#isOver();
    if ('lqQ'.includes(name)) return this.#take(/^[ \t]*\d*/) !== null && this.#isOver();
    if ('bt:T'.includes(name)) return this.#take(/^[ \t]*[\w.-]*[ \t]*(?=[;\n}]|$)/) !== null;
    if ('aic'.includes(name)) return this.#take(/^[^\n\\]*(?:\n|$)/) !== null;
    if (name === 's') return this.#substitute();
    return name === 'y' && this.#pair() !== null && this.#isOver();
  }

  #substitute(): boolean {
    if (this.#pair() === null) return false;
    this.#take(/^[gpiIMm0-9]*/);
    return this.#isOver();
  }

  #pair(): true | null {
    const delimiter = this.#text[this.#at++];
    if (delimiter === undefined || /[\n\\\s]/.test(delimiter)) return null;
    return this.#delimited(delimiter) !== null && this.#delimited(delimiter) !== null ? true : null;
  }

  /**
   * Takes the text up to the delimiter. Returns null if no delimiter follows, if the text has a line break, or if the delimiter may be in a
   * bracket expression: such a delimiter has another meaning in some versions of sed.
   */
  #delimited(delimiter: string): string | null {
    const from = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      if (this.#text[this.#at] === '\\') this.#at += 1;
      else if (this.#text[this.#at] === delimiter) {
        const body = this.#text.slice(from, this.#at++);
        return /\[[^\]]*$/.test(body.replace(/\\./gs, '')) || body.includes('\n') ? null : body;
      }
    }
    return null;
  }

  /** Whether the command ends here, after blanks. A command also ends after its `{`. */
  #isOver(): boolean {
    return this.#take(/^[ \t]*(?=[;\n}]|$)/) !== null || /[{]/.test(this.#text[this.#at - 1] ?? '');
  }
}
