/**
 * The calls of our own programs that a harness makes for us, as exact text: what a hook puts in the place of a command,
 * and the line a harness runs as its hook. Recognised by being equal to what we would write, never by looking like it.
 */

/** In single quotes whatever it is: an alias cannot stand for a quoted word. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** `'/…/ape-shell' -c 'COMMAND'`: what runs a command through the gate, byte for byte. No NUL. */
export const gatedCall = (shell: string, command: string): string =>
  `${singleQuoted(shell)} -c ${singleQuoted(command)}`;

/** The command inside a text that is exactly our own call (or Gemini CLI's frame around one); null for every other text. */
export function commandInGatedCall(text: string, shell: string): string | null {
  const own = gatedCall(shell, '').slice(0, -1);
  const call = unframed(text.trim());
  if (!call.startsWith(own) || !call.endsWith("'")) return null;
  const command = call.slice(own.length, -1).replaceAll("'\\''", "'");
  return gatedCall(shell, command) === call ? command : null;
}

const FRAME_START =
  /^shopt -u [a-z ]+; _bgpids_file=(?:'[^'\n]*'|[A-Za-z0-9_./-]+)\n\(\n {2}trap 'jobs -p > "\$_bgpids_file"' EXIT\n/;
const FRAME_END = '\n)\n__code=$?\nexit $__code';

/**
 * The command in the frame by which Gemini CLI (seen in 0.61.0) notes background jobs around each command; null without it. There
 * is a new random name in each frame, so that no grant for the whole text could be used a second time.
 */
export function commandInFrame(text: string): string | null {
  const start = FRAME_START.exec(text)?.[0];
  return start !== undefined && text.endsWith(FRAME_END) && text.length > start.length + FRAME_END.length
    ? text.slice(start.length, -FRAME_END.length)
    : null;
}

const unframed = (text: string): string => commandInFrame(text) ?? text;

/** Said where not even the guard could say anything. */
const NO_GUARD = 'ape-shell: DENIED, nothing ran: the gate is missing or was killed. A human has to look: apes health';

/**
 * The line a harness runs before a tool. The last part is for what the guard cannot catch: that it is not there, or was
 * killed. Every harness that runs programs takes exit 2 with a text for a denial.
 * @param guard absolute path of `dist/bin/hook-guard`
 */
export const guardLine = (guard: string, harness: string): string =>
  `${singleQuoted(guard)} ${harness} || { echo ${singleQuoted(NO_GUARD)} >&2; exit 2; }`;

/** The line that reports what the harness does. It decides nothing and says nothing. */
export const reportLine = (apes: string, harness: string): string =>
  `${singleQuoted(apes)} hooks report ${harness} >/dev/null 2>&1 || exit 0`;

const GUARD_LINE = /^'(?:[^']|'\\'')*\/hook-guard' [a-z-]+ \|\| \{ echo /;
const REPORT_LINE = /^'(?:[^']|'\\'')*\/apes' hooks report [a-z-]+ >/;

/** Whether this is exactly a line we install for a harness of this `dist`: running it asks nothing and changes nothing. */
export function isHookLineOf(text: string, dist: string): boolean {
  const harness = /^'[^']*' (?:hooks report )?([a-z-]+) /.exec(text)?.[1];
  if (harness === undefined) return false;
  return text === guardLine(`${dist}/bin/hook-guard`, harness) || text === reportLine(`${dist}/bin/apes`, harness);
}

/** Whether a hook line was installed by us, by this or another version or copy. */
export const isOwnHookLine = (line: string): boolean => GUARD_LINE.test(line) || REPORT_LINE.test(line);
