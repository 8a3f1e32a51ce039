/**
 * Keeps the private modes, the title and the keyboard protocol that a program has set in its terminal. `text` and `alternateText` give the
 * modes and the protocol to a second terminal. `read` finds settings in bytes that are not rendered. For rendered bytes, `ScreenMirror`
 * calls `set`, `keyboard`, `modifyKeys` and `reset`, and sets `title`.
 */

/** The DECSET modes that are kept. 47, 1047 and 1049 switch to the alternate buffer. */
const KEPT_MODES: ReadonlySet<number> = new Set([
  1, 7, 9, 25, 47, 66, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1047, 1049, 2004, 2031,
]);
const ALTERNATE: ReadonlySet<number> = new Set([47, 1047, 1049]);
const SHOW_CURSOR = 25;

/** A longer title is cut. */
const MAX_TITLE_LENGTH = 512;

/** Returns the title without control characters, at most `MAX_TITLE_LENGTH` long. */
export const terminalTitleOf = (text: string): string =>
  text.replace(/[\x00-\x1f\x7f-\x9f]/g, '').slice(0, MAX_TITLE_LENGTH);

/** The most bytes of an incomplete sequence that are kept for the next call of `read`. A longer sequence is lost. */
const MAX_SEQUENCE_LENGTH = 600;

const SEQUENCE = new RegExp(
  [
    '\\x1b\\[\\?([\\d;]{1,64})([hl])', // DECSET, DECRST
    '\\x1b\\]([02]);([^\\x07\\x1b]{0,4096}?)(?:\\x07|\\x1b\\\\|\\xc2\\x9c)', // title; C2 9C is ST (U+009C) in UTF-8
    '\\x1b\\[([<>=])(\\d*)(?:;(\\d+))?u', // kitty keyboard protocol: pop, push, set
    '\\x1b\\[>4;?(\\d*)m', // modifyOtherKeys
    '(\\x1bc|\\x1b\\[!p)', // RIS, DECSTR
  ].join('|'),
  'g',
);

export class TerminalModes {
  /** The last title that the program set; empty: the program has set no title. */
  title = '';
  readonly #modes = new Map<number, boolean>();
  #keyboard: number[] = [];
  #modifyKeys = 0;
  #carried = '';

  get isCursorVisible(): boolean {
    return this.#modes.get(SHOW_CURSOR) !== false;
  }

  /** Notes that a DECSET mode was switched on or off. A mode that is not in `KEPT_MODES` is ignored. */
  set(mode: number, isOn: boolean): void {
    if (!KEPT_MODES.has(mode)) return;
    if (ALTERNATE.has(mode)) for (const other of ALTERNATE) this.#modes.delete(other);
    this.#modes.set(mode, isOn);
  }

  /**
   * Changes the stack of keyboard flags.
   * @param how  `>` pushes `flags`; `<` pops `flags` entries (one for 0); any other text changes the last entry
   * @param mode counts only for a change: 2 adds `flags` to the last entry, 3 removes `flags`, any other number sets the entry to `flags`
   */
  keyboard(how: string, flags: number, mode = 1): void {
    const last = this.#keyboard.at(-1) ?? 0;
    if (how === '>') this.#keyboard = [...this.#keyboard.slice(-15), flags];
    else if (how === '<') this.#keyboard.splice(Math.max(0, this.#keyboard.length - (flags || 1)));
    else {
      const changed = mode === 2 ? last | flags : mode === 3 ? last & ~flags : flags;
      this.#keyboard = [...this.#keyboard.slice(0, -1), changed];
    }
  }

  /** Notes the level of xterm's modifyOtherKeys; 0: off. */
  modifyKeys(level: number): void {
    this.#modifyKeys = level;
  }

  /** Forgets all modes and the keyboard protocol, for RIS and DECSTR. The title stays. */
  reset(): void {
    this.#modes.clear();
    this.#keyboard = [];
    this.#modifyKeys = 0;
  }

  /** Reads bytes that will not be rendered. Bytes without an escape character cost only one search. */
  read(bytes: Buffer): void {
    if (this.#carried === '' && bytes.indexOf(ESCAPE) < 0) return;
    const text = this.#carried + bytes.toString('latin1');
    let end = 0;
    for (const match of text.matchAll(SEQUENCE)) {
      this.#apply(match);
      end = match.index + match[0].length;
    }
    // The last escape can be the first byte of `ESC \`, the end of a title. The next call then needs the whole title.
    const title = text.endsWith('\x1b') ? text.lastIndexOf('\x1b]') : -1;
    const last = title >= end ? title : text.lastIndexOf('\x1b');
    this.#carried = last >= end && text.length - last <= MAX_SEQUENCE_LENGTH ? text.slice(last) : '';
  }

  #apply(match: RegExpMatchArray): void {
    const [, modes, switched, , title, how, flags, mode, level, reset] = match;
    if (modes !== undefined) for (const mode of modes.split(';')) this.set(Number(mode), switched === 'h');
    else if (title !== undefined) this.title = terminalTitleOf(Buffer.from(title, 'latin1').toString('utf8'));
    else if (how !== undefined) this.keyboard(how, Number(flags), Number(mode ?? 1));
    else if (level !== undefined) this.modifyKeys(Number(level));
    else if (reset !== undefined) this.reset();
  }

  /**
   * Returns the sequences that set modes and keyboard in a second terminal. They do not set the title, and not the buffer
   * (`alternateText`).
   */
  text(): string {
    const modes = [...this.#modes]
      .filter(([mode]) => !ALTERNATE.has(mode))
      .map(([mode, isOn]) => `\x1b[?${mode}${isOn ? 'h' : 'l'}`);
    const flags = this.#keyboard.at(-1) ?? 0;
    const kitty = flags > 0 ? `\x1b[=${flags};1u` : '';
    return `${modes.join('')}${kitty}${this.#modifyKeys > 0 ? `\x1b[>4;${this.#modifyKeys}m` : ''}`;
  }

  /** Returns the sequence that chooses the buffer; an empty text if no program has switched buffers since the last reset. */
  alternateText(): string {
    const [switched] = [...this.#modes].filter(([mode]) => ALTERNATE.has(mode));
    if (switched === undefined) return '';
    const [mode, isOn] = switched;
    return `\x1b[?${mode}${isOn ? 'h' : 'l'}`;
  }
}

const ESCAPE = 0x1b;
