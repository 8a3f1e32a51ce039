/**
 * The protocol between bash and the gate on the private channel. `setup.bash` implements bash's part.
 *
 * From bash to the gate: frames. A frame is a list of fields, and a NUL ends each field. A field CWD begins with `=`. The frames are:
 * - `U`                                the set-up text has done its work; the start-up files come next
 * - `E` STATUS TURN                    bash is about to show a prompt; TURN is the number of the prompt
 * - `T`                                the block of ticks (tick.ts) is used up; bash needs another block
 * - `B`                                a program that a bound key started at the prompt has ended
 * - `L` TOKEN CWD TEXT ENTRY… TOKEN    TEXT is the part of the line typed so far; ENTRY is `NAME=VALUE` for a variable, and
 *                                      `KIND NAME=VALUE` for the rest of bash's state (`alias ll=ls -l`; `__ape_facts` in `setup/meanings.bash`)
 * - `M` TOKEN ENTRY… TOKEN             the meanings of the names that the gate asked about
 * - `R` STATUS HOW CWD                 the line that ran has ended; HOW is `done` or `interrupted`
 * - `Z` REASON                         this bash can no longer be gated, and ends
 * bash writes a long frame in pieces that end at newlines. A Ctrl-C between two pieces cuts the frame off. Two NULs therefore
 * precede every frame: the first NUL ends a cut field, and the second NUL makes an empty field. At an empty field, the gate
 * drops an incomplete frame. No field of a complete frame is empty.
 * From the gate to bash: NUL-terminated strings. The gate answers `E` with `TURN K TOKEN`. Each prompt gets a new TOKEN for its line,
 * and the gate ignores a line without this token. All other strings except `ANSWER_TO_NO_LINE` start with the token of the line that
 * they answer:
 * - `TOKEN C`          the line is incomplete: read a continuation line
 * - `TOKEN Q NAMES`    send the meanings of these names; one name per line; `*` means all aliases and functions, `$` all variables
 * - `TOKEN N STATUS`   do not run the line; STATUS becomes `$?`
 * - `TOKEN S STATUS`   as `N`, but keep the line in the history
 * - `TOKEN X`          run the text as it was sent
 * - `TOKEN P`          as `X`, but without a pager and without an editor (this line gets `PAGER=cat`, `EDITOR=true` and the like)
 * - `TOKEN Y TEXT`     run TEXT instead
 * - `TOKEN x LENGTH`, `TOKEN p LENGTH`, `TOKEN y LENGTH TEXT`: as `X`, `P` and `Y`, but confined
 * - `TOKEN q LENGTH`   as `p`, in a subshell
 * After the NUL of `x`, `p`, `y` and `q` comes a profile of LENGTH bytes (bin/confinement.h). The builtin in
 * bin/confine-builtin.c reads the profile.
 * bash drops every string that does not start with the token of bash's current line. So an answer can never reach another line. No string
 * in a profile starts with a token. So bash also drops a profile that the builtin has not read.
 */

/** The frames `U`, `E`, `M`, `Z`, `T`, `B`, `L` and `R`, in this order. A `cwd` is without the `=` in front. */
export type ShellFrame =
  | { readonly kind: 'set-up' }
  | { readonly kind: 'prompt'; readonly status: number; readonly turn: string }
  | { readonly kind: 'meanings'; readonly token: string; readonly entries: readonly Buffer[] }
  | { readonly kind: 'unsound'; readonly reason: string }
  | { readonly kind: 'more-ticks' }
  | { readonly kind: 'key-ended' }
  | {
      readonly kind: 'line';
      readonly token: string;
      readonly cwd: Buffer;
      readonly text: Buffer;
      readonly entries: readonly Buffer[];
    }
  | { readonly kind: 'ended'; readonly status: number; readonly wasInterrupted: boolean; readonly cwd: Buffer };

/**
 * @property isRemembered whether bash keeps the line in the history
 * @property hasPager     false: the line runs without a pager and without an editor
 */
export type LineAnswer =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'not-run'; readonly status: number; readonly isRemembered: boolean }
  | { readonly kind: 'question'; readonly names: readonly string[] }
  | { readonly kind: 'run'; readonly profile: Buffer | null; readonly hasPager: boolean; readonly isApart?: boolean }
  | { readonly kind: 'run-instead'; readonly text: string; readonly profile: Buffer | null };

/**
 * Encodes an answer. If `profile` is null, the line runs unconfined. If `isApart` is true, the line runs without a pager, and a confined
 * line runs in a subshell.
 */
export function encodeAnswer(token: string, answer: LineAnswer): Buffer {
  switch (answer.kind) {
    case 'incomplete':
      return Buffer.from(`${token} C\0`);
    case 'not-run':
      return Buffer.from(`${token} ${answer.isRemembered ? 'S' : 'N'} ${answer.status}\0`);
    case 'question':
      return Buffer.from(`${token} Q ${answer.names.join('\n')}\0`);
    case 'run':
      if (answer.isApart === true) return withProfile(`${token} P`, `${token} q`, '', answer.profile);
      return answer.hasPager
        ? withProfile(`${token} X`, `${token} x`, '', answer.profile)
        : withProfile(`${token} P`, `${token} p`, '', answer.profile);
    case 'run-instead':
      return withProfile(`${token} Y`, `${token} y`, ` ${answer.text}`, answer.profile);
  }
}

/** @param turn the number in the frame of the prompt */
export const encodeToken = (turn: string, token: string): Buffer => Buffer.from(`${turn} K ${token}\0`);

function withProfile(free: string, confined: string, rest: string, profile: Buffer | null): Buffer {
  if (profile === null) return Buffer.from(`${free}${rest}\0`);
  return Buffer.concat([Buffer.from(`${confined} ${profile.length}${rest}\0`), profile]);
}

/**
 * An empty string. The gate sends this string if a signal has come, and bash still waits for an answer. bash drops the string, and handles
 * the signal before it waits again.
 */
export const ANSWER_TO_NO_LINE: Buffer = Buffer.from('\0');

/** Thrown if bash violates the protocol. The session then ends. */
export class MalformedFrame extends Error {}

/**
 * Assembles chunks into fields, and fields into frames. Copies each byte only once: a field can be megabytes that arrive in small chunks.
 */
export class FrameReader {
  #pieces: Buffer[] = [];
  #fields: Buffer[] = [];

  /** Returns the frames that end in this chunk (possibly an empty list). Throws `MalformedFrame`. */
  take(chunk: Buffer): readonly ShellFrame[] {
    const frames: ShellFrame[] = [];
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      this.#fields.push(Buffer.concat([...this.#pieces, chunk.subarray(start, end)]));
      this.#pieces = [];
      start = end + 1;
      if (this.#fields.at(-1)?.length === 0) this.#fields = [];
      const frame = frameOf(this.#fields);
      if (frame === null) continue;
      frames.push(frame);
      this.#fields = [];
    }
    if (start < chunk.length) this.#pieces.push(chunk.subarray(start));
    return frames;
  }
}

/** Returns the frame of these fields, or null while fields are missing. */
function frameOf(fields: readonly Buffer[]): ShellFrame | null {
  const [type, first, second, third] = fields;
  switch (type?.toString('latin1')) {
    case undefined:
      return null;
    case 'E':
      if (first === undefined || second === undefined) return null;
      return { kind: 'prompt', status: statusOf(first), turn: turnOf(second) };
    case 'U':
      return { kind: 'set-up' };
    case 'T':
      return { kind: 'more-ticks' };
    case 'B':
      return { kind: 'key-ended' };
    case 'R':
      if (first === undefined || second === undefined || third === undefined) return null;
      return {
        kind: 'ended',
        status: statusOf(first),
        wasInterrupted: second.equals(INTERRUPTED),
        cwd: third.subarray(1),
      };
    case 'Z':
      return first === undefined ? null : { kind: 'unsound', reason: first.toString('utf8') };
    case 'M':
      if (first === undefined || fields.length < 3 || !fields.at(-1)?.equals(first)) return null;
      return { kind: 'meanings', token: first.toString('latin1'), entries: fields.slice(2, -1) };
    case 'L':
      if (first === undefined || second === undefined || third === undefined || fields.length < 5) return null;
      if (!fields.at(-1)?.equals(first)) return null;
      return {
        kind: 'line',
        token: first.toString('latin1'),
        cwd: second.subarray(1),
        text: third,
        entries: fields.slice(4, -1),
      };
    default:
      throw new MalformedFrame('a frame of an unknown type came on the private channel');
  }
}

const INTERRUPTED = Buffer.from('interrupted');

function statusOf(field: Buffer): number {
  const text = field.toString('latin1');
  if (!/^\d{1,3}$/.test(text)) throw new MalformedFrame('a frame on the private channel has no exit status');
  return Number(text);
}

function turnOf(field: Buffer): string {
  const text = field.toString('latin1');
  if (!/^\d{1,19}$/.test(text)) throw new MalformedFrame('a prompt on the private channel has no number');
  return text;
}
