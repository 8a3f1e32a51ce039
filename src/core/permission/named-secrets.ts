/**
 * Files with secrets that a command names in another way than as a path: as a pattern (`find -name .env`, `grep -r
 * --include='*.pem'`, `git log -p -- '*.pe?'`) or behind a revision (`git show HEAD:.env`, `git log -p .env`). A scope for reading a whole tree is
 * no answer to a question about one such file.
 */
import { dangerousPlace } from '../dangerous-places.ts';
import type { Word } from '../reading/reading.ts';
import { because } from '../reasons/reason.ts';
import type { CommandContext } from './command-context.ts';
import { pathOfText } from './known-path.ts';
import { type Meaning, NOTHING, opaqueMeaning } from './meaning.ts';
import type { Resource } from './permission.ts';
import type { OptionUse } from './read-arguments.ts';
import { sensitivityOfName } from './sensitive-paths.ts';

/** @param resources what the command would do besides; its revisions may name files */
export function namedSecrets(
  uses: readonly OptionUse[],
  resources: readonly Resource[],
  context: CommandContext,
): Meaning {
  const values = uses
    .filter(({ rule, value }) => value !== null && rule.value === null && !LEAVES_OUT.test(rule.canonical))
    .map(({ value }) => writtenOf(value as Word));
  const revisions = resources.filter(({ kind, access }) => kind === 'ref' && access === 'read');
  const found: Resource[] = [];
  for (const written of [...values, ...revisions.map(({ value }) => value)]) {
    if (written.startsWith('!')) continue; // `rg -g '!.env'` leaves it out
    for (const part of written.split(/[:,={}]/)) {
      if (meansSecrets(part)) return opaqueMeaning(because('names-secrets', part));
      if (isSecret(part))
        found.push({ kind: 'path', access: 'read', value: pathOfText(part, context, 'target').value, isExact: true });
    }
  }
  const pathspec = resources.find(
    ({ kind, access, value }) => kind === 'path' && access === 'read' && meansSecrets(value),
  );
  if (pathspec !== undefined) return opaqueMeaning(because('names-secrets', pathspec.value));
  return found.length === 0 ? NOTHING : { resources: found };
}

/** Options whose names are left out of what is read. */
const LEAVES_OUT = /exclude|ignore/;

const writtenOf = (word: Word): string => (word.kind === 'literal' ? word.value : word.prefix);

/** Somewhere below a directory: a branch `dev` is not `/dev`. */
function isSecret(name: string): boolean {
  const path = name.startsWith('/') ? name : `/any/${name}`;
  return sensitivityOfName(path, 'read') !== null || dangerousPlace(path, true) !== null;
}

const isPattern = (part: string): boolean => /[*?[]/.test(part);

const SECRETS = [
  '.env',
  '.env.local',
  'id_rsa',
  'id_ed25519',
  'key.pem',
  'server.key',
  'a.p12',
  'credentials.json',
  '.netrc',
  '.npmrc',
];
/** A pattern that fits one of these is about more than secrets: it reads the tree. */
const ORDINARY = [
  'a',
  'main.ts',
  'README.md',
  'package.json',
  'x.sh',
  '.x',
  '.gitignore',
  'k.h',
  'index.html',
  'keys.py',
];

/** The last component decides: `*.pe?`, `.en[v]`. */
function meansSecrets(pattern: string): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (!isPattern(name)) return false;
  const fits = matcherOf(name);
  return fits !== null && !ORDINARY.some(fits) && SECRETS.some(fits);
}

function matcherOf(pattern: string): ((name: string) => boolean) | null {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.')
    .replace(/\[!/g, '[^');
  try {
    const expression = new RegExp(`^${source}$`, 'i');
    return (name) => expression.test(name);
  } catch {
    return null; // an open bracket is a bracket
  }
}
