/**
 * What the client decides about a typed line without the server: whether it needs no grant.
 */
export type Decision =
  | { readonly kind: 'ask' }
  /** `exit`, `exit 3`, `logout`: leaving never needs a grant. */
  | { readonly kind: 'leave' }
  /** One of our own control verbs. `args` are the words after the program. */
  | { readonly kind: 'self-control'; readonly args: readonly string[] };

/**
 * What the words of a line mean now, as the caller has found.
 * @property words      the words of a plain simple command (`plainWords`); null for any other line
 * @property isOurs     whether `words[0]` resolves to our own `apes` by its real path
 * @property isRedefined whether an alias, function or disabled builtin changes what `words[0]` means
 */
export interface LineFacts {
  readonly words: readonly string[] | null;
  readonly isOurs: boolean;
  readonly isRedefined: boolean;
}

/** Verbs that only show something, or run only what a grant covers. None of them may change who approves. */
const SELF_CONTROL: Readonly<Record<string, ReadonlySet<string> | 'any'>> = {
  grants: new Set(['list', 'show', 'status', 'why', 'run', 'withdraw']),
  health: 'any',
  whoami: 'any',
  /** Looks up names, and asks `bash -n` and the server; runs and files nothing. */
  explain: 'any',
  /** Files a plan, or ends one. A filed plan has no effect before a human approves it. */
  plan: 'any',
  workflow: new Set(['list', 'show']),
  '--version': 'any',
  '--help': 'any',
};

/** The client's whole decision. For a line that is not recognised, the client asks the server. */
export function decide(facts: LineFacts): Decision {
  const words = facts.words;
  if (words === null || words[0] === undefined || facts.isRedefined) return { kind: 'ask' };
  if (isLeaving(words)) return { kind: 'leave' };
  if (facts.isOurs && isSelfControl(words.slice(1))) return { kind: 'self-control', args: words.slice(1) };
  return { kind: 'ask' };
}

/**
 * Whether the words are a control call, provided that the program is our own `apes`. The caller checks this before it looks up
 * the program.
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

/**
 * The words of a plain simple command: bare words between spaces and tabs, with nothing that bash would expand, join or
 * redirect. Null for any other line; the client asks the server about such a line.
 */
export function plainWords(text: string): readonly string[] | null {
  const trimmed = text.replace(/^[ \t]+|[ \t]+$/g, '');
  if (!/^[A-Za-z0-9_./:@%+,-]+(?:[ \t]+[A-Za-z0-9_./:@%+,=-]+)*$/.test(trimmed)) return null;
  return trimmed.split(/[ \t]+/);
}
