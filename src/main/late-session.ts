/**
 * Makes an interactive shell known as a session, but not before its first prompt is there: no person waits for that.
 */
import type { PseudoTerminal } from '../pty/pseudo-terminal.ts';
import type { SessionEnding } from '../session/host/live-session.ts';
import type { Onlooker } from '../shell/interactive.ts';

/** What the shell is once it is on record. */
export interface ShellSession extends Onlooker {
  close(ending: SessionEnding): Promise<void>;
}

/** After the first byte on the screen; most prompts are whole by then. */
const AFTER_FIRST_MS = 250;
/** What the screen showed until then is kept for it, up to this. */
const KEPT_BYTES = 1 << 20;

export class LateSession implements Onlooker {
  readonly #open: () => Promise<ShellSession | null>;
  #session: ShellSession | null = null;
  #opening: Promise<void> | null = null;
  #terminal: PseudoTerminal | null = null;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @param open null when it cannot be made known: it is a shell all the same */
  constructor(open: () => Promise<ShellSession | null>) {
    this.#open = open;
  }

  began(terminal: PseudoTerminal): void {
    this.#terminal = terminal;
    this.#session?.began(terminal);
  }

  screen(chunk: Buffer): void {
    if (this.#session !== null) {
      this.#session.screen(chunk);
      return;
    }
    if (this.#keptBytes > KEPT_BYTES) return;
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    this.#timer ??= setTimeout(() => {
      this.#opening = this.#register();
    }, AFTER_FIRST_MS);
  }

  typed(): void {
    this.#session?.typed();
  }

  isObserved(): boolean {
    return this.#session?.isObserved() ?? false;
  }

  async close(ending: SessionEnding): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#opening;
    await this.#session?.close(ending);
  }

  async #register(): Promise<void> {
    const session = await this.#open().catch(() => null);
    if (session !== null && this.#terminal !== null) session.began(this.#terminal);
    for (const chunk of this.#kept.splice(0)) session?.screen(chunk);
    this.#keptBytes = session === null ? Number.POSITIVE_INFINITY : 0;
    this.#session = session;
  }
}
