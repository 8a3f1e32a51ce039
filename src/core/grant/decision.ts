/** Decides whether a line is exempt. A line that leaves the shell, or calls `apes` with an exempt verb, needs no grant. */

export type Decision =
  /** The line is not exempt: it needs a grant. */
  | { readonly kind: 'ask' }
  /** `exit`, `exit 3`, `logout`: leaving never needs a grant. */
  | { readonly kind: 'leave' }
  /** A call of `apes` with one of the exempt verbs. `args` are the words after the program. */
  | { readonly kind: 'self-control'; readonly args: readonly string[] };

/**
 * What the caller found out about a line.
 * @property words       the words of a plain simple command (`plainWords`); null for any other line
 * @property isOurs      whether the real path of the program `words[0]` is the real path of our own `apes`
 * @property isRedefined whether an alias, a function or a disabled builtin changes what `words[0]` means
 */
export interface LineFacts {
  readonly words: readonly string[] | null;
  readonly isOurs: boolean;
  readonly isRedefined: boolean;
}

/**
 * The exempt verbs of `apes`. An exempt verb shows something, handles the caller's own requests, or runs only what a
 * grant covers. This table must not contain a verb that changes who approves.
 */
const SELF_CONTROL: Readonly<Record<string, ReadonlySet<string> | 'any'>> = {
  grants: new Set(['list', 'show', 'status', 'why', 'run', 'withdraw']),
  health: 'any',
  whoami: 'any',
  /** Looks up names, checks the syntax with `bash -n`, and asks the server for a verdict. Does not run the line, and files no request. */
  explain: 'any',
  /** Submits a plan, or ends a plan. A submitted plan has no effect before a human approves it. */
  plan: 'any',
  workflow: new Set(['list', 'show']),
  '--version': 'any',
  '--help': 'any',
};

/** Returns `ask` for each line that is not recognised as exempt. */
export function decide(facts: LineFacts): Decision {
  const words = facts.words;
  if (words === null || words[0] === undefined || facts.isRedefined) return { kind: 'ask' };
  if (isLeaving(words)) return { kind: 'leave' };
  if (facts.isOurs && isSelfControl(words.slice(1))) return { kind: 'self-control', args: words.slice(1) };
  return { kind: 'ask' };
}

/**
 * Whether the words after the program make an exempt call of `apes`. Does not check the program. Looking up the program (for `isOurs`)
 * costs more. So callers call this function first.
 */
export const looksLikeControl = (words: readonly string[]): boolean => isSelfControl(words.slice(1));

function isLeaving(words: readonly string[]): boolean {
  const [name, status] = words;
  if (name !== 'exit' && name !== 'logout') return false;
  return words.length === 1 || (words.length === 2 && status !== undefined && /^\d{1,3}$/.test(status));
}

function isSelfControl(args: readonly string[]): boolean {
  const verbs =
    args[0] === undefined ? undefined : Object.hasOwn(SELF_CONTROL, args[0]) ? SELF_CONTROL[args[0]] : undefined;
  if (verbs === undefined) return false;
  return verbs === 'any' || (args[1] !== undefined && verbs.has(args[1]));
}

const PLAIN_NAME = /^[A-Za-z0-9_./:@%+,-]+$/;
const PLAIN_WORD = /^[A-Za-z0-9_./:@%+,=-]+$/;

/**
 * Returns the words of a plain simple command: bare words, separated by spaces and tabs, with nothing that bash would expand, join or
 * redirect. Returns null for any other line: such a line is never exempt.
 */
export function plainWords(text: string): readonly string[] | null {
  const words = text.split(/[ \t]+/).filter((word) => word !== '');
  const isPlain = words.every((word, index) => (index === 0 ? PLAIN_NAME : PLAIN_WORD).test(word));
  return words.length > 0 && isPlain ? words : null;
}
