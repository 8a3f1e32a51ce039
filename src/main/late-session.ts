/**
 * Registers an interactive shell as a session shortly after the first output of the shell. So the first prompt does not wait for the
 * registration.
 */
import type { PseudoTerminal } from '../pty/pseudo-terminal.ts';
import type { SessionEnding } from '../session/host/live-session.ts';
import type { Onlooker } from '../shell/interactive.ts';

/** A shell that is registered as a session. */
export interface ShellSession extends Onlooker {
  close(ending: SessionEnding): Promise<void>;
}

/** Time from the first byte on the screen to the registration. After this time, most prompts are complete. */
const AFTER_FIRST_MS = 250;
/** Until the session is registered, about this many bytes of output are kept. Output beyond this number is dropped. */
const KEPT_BYTES = 1 << 20;

export class LateSession implements Onlooker {
  readonly #open: () => Promise<ShellSession | null>;
  #session: ShellSession | null = null;
  #opening: Promise<void> | null = null;
  #terminal: PseudoTerminal | null = null;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #isAtPrompt = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param open registers the shell; returns null if the registration fails; the shell then works without a session */
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

  atPrompt(isAtPrompt: boolean): void {
    this.#isAtPrompt = isAtPrompt;
    this.#session?.atPrompt(isAtPrompt);
  }

  isObserved(): boolean {
    return this.#session?.isObserved() ?? false;
  }

  /** Ends the session. Cancels a registration that has not begun. If the registration has begun, waits until it has ended. */
  async close(ending: SessionEnding): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#opening;
    await this.#session?.close(ending);
  }

  async #register(): Promise<void> {
    const session = await this.#open().catch(() => null);
    if (session !== null && this.#terminal !== null) session.began(this.#terminal);
    session?.atPrompt(this.#isAtPrompt);
    for (const chunk of this.#kept.splice(0)) session?.screen(chunk);
    this.#keptBytes = session === null ? Number.POSITIVE_INFINITY : 0;
    this.#session = session;
  }
}
