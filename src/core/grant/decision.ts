/**
 * What the client decides by itself before it asks the server. Today that is little: what never needs a grant.
 * Understanding what a line does comes here later; the shape stays.
 */
export type Decision =
  | { readonly kind: 'ask' }
  /** `exit`, `exit 3`, `logout`: leaving never needs a grant. */
  | { readonly kind: 'leave' }
  /** One of our own control verbs, recognised by what it is. `args` come after the program. */
  | { readonly kind: 'self-control'; readonly args: readonly string[] };

/**
 * What the words of a line mean at this moment, as the caller resolved them.
 * @property words      the literal words of a plain simple command without any expansion, quoting undone; null for anything else
 * @property isOurs     whether `words[0]` resolves to our own `apes` by its real path
 * @property isRedefined whether an alias, function or disabled builtin changes what `words[0]` means
 */
export interface LineFacts {
  readonly words: readonly string[] | null;
  readonly isOurs: boolean;
  readonly isRedefined: boolean;
}

/** Verbs that inspect, or that run only what a grant already covers. Nothing here changes where approvals come from. */
const SELF_CONTROL: Readonly<Record<string, ReadonlySet<string> | 'any'>> = {
  grants: new Set(['list', 'show', 'status', 'why', 'run', 'withdraw']),
  health: 'any',
  whoami: 'any',
  /** It looks names up, asks `bash -n`, and the server what it would decide; it runs nothing and files nothing. */
  explain: 'any',
  /** It files a request, or narrows what was given: nothing of a plan counts before a human approves it. */
  plan: 'any',
  workflow: new Set(['list', 'show']),
  '--version': 'any',
  '--help': 'any',
};

/** The whole client-side decision, in the order a stranger can read aloud. Anything not recognised is asked for. */
export function decide(facts: LineFacts): Decision {
  const words = facts.words;
  if (words === null || words[0] === undefined || facts.isRedefined) return { kind: 'ask' };
  if (isLeaving(words)) return { kind: 'leave' };
  if (facts.isOurs && isSelfControl(words.slice(1))) return { kind: 'self-control', args: words.slice(1) };
  return { kind: 'ask' };
}

/** Whether these words would be one of our own control calls if the program is ours: asked before the program is looked up. */
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
 * The words of a plain simple command: bare words and single spaces or tabs only, nothing bash would expand, join or redirect.
 * Everything else is null, and so is asked for: in doubt a human reads it.
 */
export function plainWords(text: string): readonly string[] | null {
  const trimmed = text.replace(/^[ \t]+|[ \t]+$/g, '');
  if (!/^[A-Za-z0-9_./:@%+,-]+(?:[ \t]+[A-Za-z0-9_./:@%+,=-]+)*$/.test(trimmed)) return null;
  return trimmed.split(/[ \t]+/);
}
