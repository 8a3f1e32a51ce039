/**
 * Effects of git settings that make a command reach refs and hosts that its words do not name: `remote.NAME.push`, `push.default`,
 * `push.autoSetupRemote`, `remote.NAME.fetch`, `url.X.insteadOf`. Only the machine that runs the command can read these settings.
 */
import type { HookKind } from './command-context.ts';
import { isGitContact } from './git-hooks.ts';
import type { Resource } from './permission.ts';
import type { UnderstoodCall } from './understood-call.ts';
import { fixedPath } from './word-meaning.ts';

const ANY_REF: readonly Resource[] = (['write', 'delete'] as const).map((access) => ({
  kind: 'ref',
  access,
  value: '',
  isExact: false,
}));
const ANY_HOST: Resource = { kind: 'host', access: 'contact', value: '', isExact: false };

/** The operations that write the refs in `remote.NAME.fetch`. */
const FETCHES: ReadonlySet<string> = new Set(['git fetch', 'git pull', 'git remote update']);

/**
 * Returns the effects that settings can add to the command:
 * - a push or a fetch writes and deletes refs that its words do not name
 * - a push that names no ref writes the tracking branch into `.git/config`
 * - a URL leads to another host
 *
 * Returns an empty list if the context has no `hasHooks`, or if the operation contacts no remote (`isGitContact`).
 */
export function effectsOfRemoteSettings({ operation, named, context }: UnderstoodCall): readonly Resource[] {
  const { cwd, hasHooks, resolvePath } = context;
  if (hasHooks === undefined || !isGitContact(operation)) return [];
  const has = (kind: HookKind): boolean => cwd === null || hasHooks(resolvePath(cwd, 'target'), kind);
  const isPush = operation === 'git push';
  const isDefaultPush = isPush && !named.some(({ kind }) => kind === 'ref');
  const namesHost = named.some(({ kind }) => kind === 'url' || kind === 'host');
  return [
    ...((isPush || FETCHES.has(operation)) && has('refspec') ? ANY_REF : []),
    ...(isDefaultPush && has('upstream')
      ? [{ kind: 'path', access: 'write', ...fixedPath('@repository/.git/config', context) } as const]
      : []),
    ...(namesHost && has('url') ? [ANY_HOST] : []),
  ];
}
