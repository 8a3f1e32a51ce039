/**
 * The interactive shell. Keys go to a bash behind a private pseudo-terminal, the output of bash goes to the screen, and each line
 * that bash has read goes to the gate.
 */

import { COVERED_VARIABLES } from '../core/covered-variables.ts';
import { leftOutText } from '../core/start-environment.ts';
import { visibleText } from '../core/text/visible-text.ts';
import { SHELL_VARIABLE_NAMES } from '../core/variables/variable-table.ts';
import { type BashSession, startBash } from '../pty/bash-session.ts';
import type { ProcessEnd, PseudoTerminal } from '../pty/pseudo-terminal.ts';
import { environmentForBash, type Start } from '../pty/start-block.ts';
import { ScreenWriter } from '../terminal/screen-writer.ts';
import type { UserTerminal } from '../terminal/user-terminal.ts';
import { brokenSentence, explainEnd } from './interactive/bash-end.ts';
import { BulkOutput } from './interactive/bulk-output.ts';
import { LastLine } from './interactive/last-line.ts';
import { LineController } from './interactive/line-controller.ts';
import type { LineGate } from './line-verdict.ts';

/**
 * @property bash             absolute path
 * @property environment      the caller's variables, byte for byte, without our own variables
 * @property runtimeDirectory a directory of this user with mode 0700 and a short path, for the private socket
 * @property leaderPath       the built `bin/pty-leader.c`
 * @property pumpPath         the built `bin/pump.c`
 * @property setupPath        the set-up text that the build makes of `src/pty/setup.bash` and its parts
 * @property confinePath      the built `bin/confine-builtin.c`; null on a platform that lacks this builtin. There, no confined line runs
 * @property greeting         printed before all output of bash. Each line of this text and of the text from `opened` ends in LF
 * @property opened           does work that must not delay the prompt. Called once, when the first prompt is shown, at the latest 1 s after
 *                            the greeting. The returned text is printed below the prompt, and then the prompt is printed again;
 *                            '' prints nothing. Must not reject
 * @property onlooker         gets the events of the terminal, for viewers elsewhere
 */
export interface InteractiveOptions {
  readonly terminal: UserTerminal;
  readonly gate: LineGate;
  readonly bash: string;
  readonly isLogin: boolean;
  readonly cwd: string;
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly runtimeDirectory: string;
  readonly leaderPath: string;
  readonly pumpPath: string;
  readonly setupPath: string;
  readonly confinePath: string | null;
  readonly greeting: string;
  readonly opened: () => Promise<string>;
  readonly onlooker?: Onlooker;
}

/**
 * @property began      called when a bash has started on this pseudo-terminal; called again after `:reset`, with a new
 *                      pseudo-terminal
 * @property screen     gets what goes to the screen, except the greeting, and except most bulk output while `isObserved` returns false
 * @property typed      called when the person has pressed keys
 * @property atPrompt   called with true when bash has announced its prompt, and with false when bash has sent a line
 * @property isObserved whether the onlooker needs every byte at once. If not, the onlooker gets only two parts of bulk output: the bytes
 *                      that may switch the terminal's modes or set its title, and the last MiB. The last MiB comes when the bulk output
 *                      ends, or when the onlooker calls `recall` of the pseudo-terminal
 */
export interface Onlooker {
  began(terminal: PseudoTerminal): void;
  screen(chunk: Buffer): void;
  typed(): void;
  atPrompt(isAtPrompt: boolean): void;
  isObserved(): boolean;
}

/**
 * Runs until bash ends. After `:reset`, a new bash runs instead. Sets the caller's terminal to raw mode, and restores its modes at the
 * end. Returns how the last bash ended; status 70 if bash could not be gated any more. Rejects if bash does not start.
 */
export async function runInteractive(options: InteractiveOptions): Promise<ProcessEnd> {
  const shell = new Shell(options, options.terminal.enterRaw());
  try {
    for (let directory = options.cwd; ; ) {
      const ending = await shell.run(directory);
      if (shell.resetDirectory === null) return await shell.leave(ending);
      directory = shell.resetDirectory;
    }
  } finally {
    await options.terminal.leaveRaw();
  }
}

/** One interactive shell. After `:reset` the new bash uses the screen, the keys and the gate of the old one. */
class Shell {
  resetDirectory: string | null = null;
  readonly #options: InteractiveOptions;
  readonly #screen: ScreenWriter;
  readonly #bulk: BulkOutput;
  readonly #raw: Promise<void>;
  #isGreeted = false;
  #session: BashSession | null = null;
  #isGone = false;
  /** True while bash waits, for a line or for the gate's answer to a line. */
  #isIdle = false;
  #opening: NodeJS.Timeout | undefined;
  /** `null` means that `opened` has returned its text, or that the shell has ended. */
  #lastLine: LastLine | null = new LastLine();
  #isOpened = false;

  /** @param raw fulfilled when the terminal is in raw mode */
  constructor(options: InteractiveOptions, raw: Promise<void>) {
    this.#options = options;
    this.#raw = raw;
    const throttle = { pause: () => this.#session?.terminal.pause(), resume: () => this.#session?.terminal.resume() };
    this.#screen = new ScreenWriter(options.terminal.output, throttle, () => this.#gone());
    this.#bulk = new BulkOutput({
      pumpPath: options.pumpPath,
      screen: this.#screen,
      output: options.terminal.output,
      onCopy: (chunk) => {
        this.#lastLine?.take(chunk);
        options.onlooker?.screen(chunk);
      },
      isObserved: () => options.onlooker?.isObserved() ?? false,
    });
    options.terminal.onGone(() => this.#gone());
  }

  /** Prints the greeting when the terminal is in raw mode. bash starts meanwhile; its output waits for the greeting. */
  async #greet(leftOut: string): Promise<void> {
    if (this.#isGreeted) return;
    this.#isGreeted = true;
    const { terminal } = this.#options;
    terminal.input.on('data', (keys: Buffer) => this.#take(keys));
    terminal.input.once('end', () => this.#gone());
    terminal.input.on('error', () => this.#gone());
    terminal.onResize(() => this.#session?.terminal.resize(terminal.size()));
    await this.#raw;
    this.#screen.release(crlf(this.#options.greeting + visibleText(leftOut)));
    this.#opening ??= setTimeout(() => void this.#opened(), MAX_START_MS);
  }

  /** Call when bash announces a prompt. The prompt is usually on the screen within `PROMPT_SHOWN_MS`. */
  #prompted(): void {
    if (this.#isOpened) return;
    clearTimeout(this.#opening);
    this.#opening = setTimeout(() => void this.#opened(), PROMPT_SHOWN_MS);
  }

  async #opened(): Promise<void> {
    if (this.#isOpened) return;
    this.#isOpened = true;
    const text = visibleText(await this.#options.opened());
    const line = this.#lastLine?.bytes();
    this.#lastLine = null;
    if (line === undefined) return;
    if (text !== '') this.#print(Buffer.concat([Buffer.from(crlf(line.length > 0 ? `\n${text}` : text)), line]));
  }

  async run(directory: string): Promise<ProcessEnd> {
    const { gate, terminal, leaderPath, runtimeDirectory } = this.#options;
    this.resetDirectory = null;
    const lines = new LineController(gate, {
      bash: this.#options.bash,
      name: argv0(this.#options),
      say: (text) => session.terminal.say(visibleText(text)),
      answer: (token, answer) => {
        if (answer.kind === 'run' || answer.kind === 'run-instead') this.#isIdle = false;
        session.answer(token, answer);
      },
      reset: (cwd) => this.#reset(cwd),
      pid: () => session.terminal.pid,
    });
    const { start, leftOut } = startOf(this.#options, directory);
    let isBroken = false;
    let broken: (reason: string) => void = () => undefined;
    const starting = startBash({
      start,
      size: terminal.size(),
      leaderPath,
      runtimeDirectory,
      onOutput: (chunk) => this.#show(chunk),
      onBroken: (reason) => broken(reason),
      onFrame: (frame) => {
        if (frame.kind === 'prompt') this.#prompted();
        if (frame.kind === 'prompt' || frame.kind === 'line') this.#options.onlooker?.atPrompt(frame.kind === 'prompt');
        if (frame.kind === 'prompt' || frame.kind === 'ended') this.#isIdle = frame.kind === 'prompt';
        lines.take(frame);
      },
    });
    const session = await starting.catch(async (error: unknown) => {
      await this.#greet(leftOut); // the output so far says why bash did not start
      await this.#screen.idle();
      throw error;
    });
    void this.#greet(leftOut);
    broken = (reason) => {
      isBroken = true;
      this.#say(brokenSentence(reason));
      session.terminal.hangUp();
      setTimeout(() => session.terminal.kill(), HANG_UP_TIMEOUT_MS).unref();
    };
    this.#session = session;
    this.#options.onlooker?.began(session.terminal);
    if (this.#isGone) session.terminal.hangUp();
    const ending = await session.ended;
    this.#session = null;
    lines.close();
    const end = isBroken || this.#isGone || this.resetDirectory !== null ? null : explainEnd(ending, lines);
    if (end !== null) this.#say(end.sentence);
    return isBroken || end?.isStatusMeaningless === true ? { status: BROKEN_STATUS, signal: 0 } : ending;
  }

  #say(sentence: string): void {
    this.#print(Buffer.from(crlf(visibleText(`\n${sentence}\n`))));
  }

  async leave(ending: ProcessEnd): Promise<ProcessEnd> {
    clearTimeout(this.#opening);
    this.#lastLine = null;
    await this.#screen.idle();
    this.#screen.close();
    this.#options.terminal.input.pause();
    return ending;
  }

  #take(keys: Buffer): void {
    const { input } = this.#options.terminal;
    this.#options.onlooker?.typed();
    if (this.#session?.terminal.write(keys, () => input.resume()) === false) input.pause();
  }

  #show(chunk: Buffer): void {
    this.#print(chunk);
    this.#lastLine?.take(chunk);
    if (this.#session !== null) this.#bulk.noteOutput(chunk.length, this.#session.terminal);
  }

  #print(chunk: Buffer): void {
    this.#screen.write(chunk);
    this.#options.onlooker?.screen(chunk);
  }

  #reset(cwd: string): void {
    this.resetDirectory = cwd;
    this.#session?.terminal.hangUp();
    const old = this.#session;
    setTimeout(() => {
      if (old !== null && this.#session === old) old.terminal.kill();
    }, HANG_UP_TIMEOUT_MS);
  }

  /** The terminal is gone: bash and its jobs get SIGHUP, as when a terminal closes. */
  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#session?.terminal.hangUp();
    this.#endWhenIdle();
  }

  /**
   * Checks every 5 s whether bash waits (`#isIdle`). Kills a bash that waits. Only a bash that ignores or traps SIGHUP still runs after
   * 5 s. Without the gate, this bash would read the end of its input at the prompt, and end. With the gate, bash would wait for ever.
   */
  #endWhenIdle(): void {
    setTimeout(() => {
      if (this.#isIdle) this.#session?.terminal.kill();
      else this.#endWhenIdle();
    }, IDLE_TIMEOUT_MS).unref();
  }
}

/** A prompt counts as shown when this time has passed since its announcement. Usually 1 to 3 ms are enough. */
const PROMPT_SHOWN_MS = 20;
/** After this time the session counts as open even without a prompt. Start-up files can run for hours. */
const MAX_START_MS = 1_000;

/** EX_SOFTWARE */
const BROKEN_STATUS = 70;

/** A bash that ignores SIGHUP is killed after this time, in two cases: after `:reset`, and when bash can no longer be gated. */
const HANG_UP_TIMEOUT_MS = 1_000;
/** When the terminal is gone, a trap for SIGHUP has at least this time before bash is killed. */
const IDLE_TIMEOUT_MS = 5_000;

const crlf = (text: string): string => text.replaceAll('\n', '\r\n');

const argv0 = ({ isLogin }: InteractiveOptions): string => (isLogin ? '-bash' : 'bash');

/**
 * Returns how bash starts, and a text about the variables that bash does not get. A login shell starts in POSIX mode. Only in POSIX mode,
 * a login shell reads a file of our choice (ENV). The set-up text leaves POSIX mode at once.
 */
function startOf(options: InteractiveOptions, directory: string): { readonly start: Start; readonly leftOut: string } {
  const { environment, isLogin, setupPath, confinePath } = options;
  const extra: Record<string, string> = {
    APE_SETUP_NAMES: SHELL_VARIABLE_NAMES.join(' '),
    ...(confinePath === null ? {} : { APE_SETUP_CONFINE: confinePath }),
    APE_SETUP_COVERED: COVERED_VARIABLES.map((each) => each.join('=')).join('\n'),
    ...(isLogin ? { ENV: setupPath } : {}),
    ...(isLogin && environment.has('HISTFILE') ? { APE_SETUP_HISTFILE: '1' } : {}),
  };
  const flags = isLogin ? ['--posix', '--noprofile', '-i'] : ['--rcfile', setupPath, '-i'];
  const { environment: given, leftOut } = environmentForBash(environment, extra);
  return {
    start: { directory, file: options.bash, argv: [argv0(options), ...flags], environment: given },
    leftOut: leftOutText(leftOut),
  };
}
