/**
 * Mirrors what a session's screen shows. Only this file loads xterm.
 *
 * The mirror keeps new output, and renders this output only when a caller asks for the screen. If more than one MiB waits, the mirror drops
 * the oldest output. From dropped output the mirror reads only the modes and titles. After a drop, the screen may lack what the program
 * painted, and `isPatchy` is true until the session makes the program repaint the screen.
 */
import type { Terminal } from '@xterm/headless';
import type { ScreenView } from '../../core/message/session-view.ts';
import type { TerminalSize } from '../../terminal/user-terminal.ts';
import { Backlog } from '../host/backlog.ts';
import { faintColumnsOf, paintingOf, screenLinesOf } from './screen-cells.ts';
import { TerminalModes, terminalTitleOf } from './terminal-modes.ts';

const KEPT_BYTES = 1 << 20;

export class ScreenMirror {
  /** Whether output was dropped since the session last made the program repaint its screen. The session sets `isPatchy` to false. */
  isPatchy = false;
  readonly #backlog = new Backlog(KEPT_BYTES, (bytes) => this.#drop(bytes));
  readonly #modes = new TerminalModes();
  readonly #onAnswer: (bytes: Buffer) => void;
  #size: TerminalSize;
  #terminal: Terminal | null = null;
  #hasDropped = false;
  #rendering: Promise<void> = Promise.resolve();

  /** @param onAnswer gets the answers of the emulated terminal to the program's queries */
  constructor(size: TerminalSize, onAnswer: (bytes: Buffer) => void) {
    this.#size = size;
    this.#onAnswer = onAnswer;
  }

  /** How many bytes wait to be rendered. */
  get waitingBytes(): number {
    return this.#backlog.length;
  }

  /** Keeps the output for the next call that renders. */
  take(output: Buffer): void {
    this.#backlog.add(output);
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    this.#terminal?.resize(size.columns, size.rows);
  }

  /** Renders about the last `bytes` bytes of the kept output, and drops older output. */
  render(bytes = KEPT_BYTES): Promise<void> {
    return this.#inTurn(bytes, () => undefined);
  }

  /** Renders as `render` does, and returns the screen. Output that comes after the call is not included. */
  view(bytes = KEPT_BYTES): Promise<ScreenView> {
    return this.#inTurn(bytes, (terminal) => {
      const { columns, rows } = this.#size;
      const buffer = terminal.buffer.active;
      return {
        columns,
        rows,
        lines: screenLinesOf(buffer, rows),
        faintColumns: faintColumnsOf(buffer, rows),
        cursor: { row: buffer.cursorY, column: buffer.cursorX, isVisible: this.#modes.isCursorVisible },
        title: this.#modes.title,
        isAlternate: buffer.type === 'alternate',
        isPasteBracketed: terminal.modes.bracketedPasteMode,
      };
    });
  }

  /** Renders the kept output, and returns the title; empty if the program has set no title. */
  title(): Promise<string> {
    return this.#inTurn(KEPT_BYTES, () => this.#modes.title);
  }

  /**
   * Returns bytes that make another terminal show this screen, whatever that terminal showed before. Output that comes after the call is
   * not included.
   */
  painting(): Promise<Buffer> {
    return this.#inTurn(KEPT_BYTES, (terminal) => {
      const { normal, alternate, active } = terminal.buffer;
      const { rows } = this.#size;
      const above = active.type === 'alternate' ? `\x1b[?1049h${paintingOf(alternate, rows)}` : '';
      const title = this.#modes.title === '' ? '' : `\x1b]2;${this.#modes.title}\x07`;
      const painted = `${CANCEL}\x1b[?1049l${paintingOf(normal, rows)}${above}`;
      return Buffer.from(`${painted}${this.#modes.text()}${title}`);
    });
  }

  /**
   * Takes the kept output at once. Renders this output after the output of earlier calls. Calls `read` before any later output is rendered.
   */
  #inTurn<T>(bytes: number, read: (terminal: Terminal) => T): Promise<T> {
    this.#backlog.keepLast(bytes);
    const resumed = this.#hasDropped ? `${CANCEL}\x1b[0m\x1b[r${this.#modes.alternateText()}${this.#modes.text()}` : '';
    this.#hasDropped = false;
    const pieces = [...(resumed === '' ? [] : [resumed]), ...this.#backlog.take()];
    const turn = this.#rendering.then(async () => {
      const terminal = await this.#open();
      for (const piece of pieces.slice(0, -1)) terminal.write(piece);
      const last = pieces.at(-1);
      if (last !== undefined) await new Promise<void>((resolve) => terminal.write(last, resolve));
      return read(terminal);
    });
    this.#rendering = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  #drop(bytes: Buffer): void {
    this.#modes.read(bytes);
    this.#hasDropped = true;
    this.isPatchy = true;
  }

  async #open(): Promise<Terminal> {
    if (this.#terminal !== null) return this.#terminal;
    const loaded = await import('@xterm/headless');
    const Library = loaded.Terminal ?? loaded.default.Terminal;
    const terminal = new Library({
      cols: this.#size.columns,
      rows: this.#size.rows,
      scrollback: 0,
      allowProposedApi: true,
    });
    follow(terminal, this.#modes);
    terminal.onData((text) => this.#onAnswer(Buffer.from(text)));
    this.#terminal = terminal;
    return terminal;
  }
}

/** Ends an escape sequence that was cut in the middle. */
const CANCEL = '\x18';

/** Adds handlers that note the modes: xterm itself does not expose every mode. After each handler, xterm still processes the sequence. */
function follow(terminal: Terminal, modes: TerminalModes): void {
  const { parser } = terminal;
  for (const [final, isOn] of [
    ['h', true],
    ['l', false],
  ] as const)
    parser.registerCsiHandler({ prefix: '?', final }, (parameters) => {
      for (const mode of parameters.flat()) modes.set(mode, isOn);
      return false;
    });
  for (const prefix of ['<', '=', '>'])
    parser.registerCsiHandler({ prefix, final: 'u' }, ([flags, mode]) => {
      modes.keyboard(prefix, Number(flags), Number(mode ?? 1));
      return false;
    });
  parser.registerCsiHandler({ prefix: '>', final: 'm' }, ([what, level]) => {
    if (what === 4) modes.modifyKeys(Number(level ?? 0));
    return false;
  });
  parser.registerCsiHandler({ intermediates: '!', final: 'p' }, () => reset(modes));
  parser.registerEscHandler({ final: 'c' }, () => reset(modes));
  terminal.onTitleChange((title) => {
    modes.title = terminalTitleOf(title);
  });
}

function reset(modes: TerminalModes): boolean {
  modes.reset();
  return false;
}
