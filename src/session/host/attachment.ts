/** Attached terminals. Keys that a person types in them go to the program. The leading terminal sets the size of the program's window. */
import type { Socket } from 'node:net';
import type { TerminalSize } from '../../terminal/user-terminal.ts';
import type { HostedSession } from './hosted-session.ts';
import { AttachedViewer } from './stream-viewers.ts';

/**
 * Matches the reports of a terminal: position, attributes, colours, modes, focus. If several terminals are attached, the program must get
 * the reports of one terminal only. A key must not match: kitty's protocol sends keys as `CSI 99;5u`, rxvt sends Shift-Right as `CSI c`.
 * So a report that ends in `u` or `c` must have `?`, `>` or `=` after CSI. One key matches nevertheless: F3 with Shift, Ctrl or Alt
 * (`CSI 1;2R`) looks like a report of the position.
 */
const REPORTS =
  /^(?:\x1b\[(?:\?[\d;]+[Rcnu]|[>=][\d;]+c|\d+;\d+R|\d+n|\??\d+;\d+\$y)|\x1b\[[IO]|\x1b\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|\x1bP[^\x1b]{0,4096}\x1b\\)+$/;

/** The terminals attached to one session. The leading terminal is the terminal that sent a key or connected last. */
export class Attachments {
  readonly #session: HostedSession;
  /** The last terminal of the list is the leading one. */
  #attached: Attachment[] = [];

  constructor(session: HostedSession) {
    this.#session = session;
  }

  add(socket: Socket, size: TerminalSize): Attachment {
    const attachment = new Attachment(this.#session, socket, size, this);
    this.#attached.push(attachment);
    this.#session.viewers.add(attachment.viewer);
    this.#followSize();
    return attachment;
  }

  /** Forgets a terminal. Does not close its socket. */
  remove(attachment: Attachment): void {
    this.#attached = this.#attached.filter((other) => other !== attachment);
    this.#session.viewers.remove(attachment.viewer);
    this.#followSize();
  }

  /** Returns false for every terminal of a shell. */
  isLeading(attachment: Attachment): boolean {
    return this.#session.kind === 'program' && this.#attached.at(-1) === attachment;
  }

  lead(attachment: Attachment): void {
    if (this.#attached.at(-1) === attachment) return;
    this.#attached = [...this.#attached.filter((other) => other !== attachment), attachment];
    this.#followSize();
  }

  resized(attachment: Attachment): void {
    if (this.isLeading(attachment)) this.#followSize();
  }

  /** Gives a program the window size of the leading terminal. A shell keeps the size of the window in which it was started. */
  #followSize(): void {
    const leading = this.#attached.at(-1);
    if (leading !== undefined && this.#session.kind === 'program') this.#session.resize(leading.size);
  }
}

export class Attachment {
  size: TerminalSize;
  readonly viewer: AttachedViewer;
  readonly #session: HostedSession;
  readonly #all: Attachments;

  constructor(session: HostedSession, socket: Socket, size: TerminalSize, all: Attachments) {
    this.#session = session;
    this.#all = all;
    this.size = size;
    this.viewer = new AttachedViewer(session, socket);
  }

  /** Writes keys to the program, and makes this terminal the leading one. Writes reports only if this terminal is leading. */
  type(keys: Buffer): void {
    if (keys[0] === ESCAPE && REPORTS.test(keys.toString('latin1'))) {
      if (this.#all.isLeading(this)) this.#session.write(keys);
      return;
    }
    this.#all.lead(this);
    this.#session.typed();
    this.#session.write(keys);
  }

  resize(size: TerminalSize): void {
    this.size = size;
    this.#all.resized(this);
  }
}

const ESCAPE = 0x1b;
