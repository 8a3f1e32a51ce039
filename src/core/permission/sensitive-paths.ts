/** Paths that matter more than others: what is written there runs later, what is read there are secrets. */
import { isAtOrBelow } from '../file-operation.ts';
import type { Resource, Risk } from './permission.ts';

interface Sensitivity {
  readonly pattern: RegExp;
  readonly access: 'read' | 'write';
  readonly risk: Risk;
  readonly does: string;
}

const RUNS_LATER = 'Writes where programs or settings are that run later.';
const TENDER: readonly Sensitivity[] = [
  {
    pattern: /^\/dev\/(?:[shv]d|nvme|mmcblk|dm-|mapper|mem$|kmem$|loop|disk)/,
    access: 'write',
    risk: 'critical',
    does: 'Writes to a disk itself.',
  },
  {
    pattern: /^\/(?:etc|boot|bin|sbin|lib\w*|usr|opt|sys|proc|System|Library)(?:\/|$)/,
    access: 'write',
    risk: 'high',
    does: 'Changes the system.',
  },
  { pattern: /\/\.git(?:\/|$)|\/\.git(?:config|attributes|modules)$/, access: 'write', risk: 'high', does: RUNS_LATER },
  {
    pattern: /\/\.(?:bash\w*|profile|zsh\w*|zprofile|inputrc|vimrc|npmrc|netrc|lessfilter|pypirc|tmux\.conf)$/,
    access: 'write',
    risk: 'high',
    does: RUNS_LATER,
  },
  {
    // What npm takes out of its cache it compares with a digest.
    pattern:
      /\/\.(?:ssh|gnupg|config|local|vim|cargo|npm(?!\/_cacache(?:\/|$))|aws|kube|docker|husky|vscode|github|claude|codex|envrc)(?:\/|$)/,
    access: 'write',
    risk: 'high',
    does: RUNS_LATER,
  },
  {
    pattern: /\/(?:cron[^/]*|systemd|init\.d|autostart|LaunchAgents)(?:\/|$)/,
    access: 'write',
    risk: 'high',
    does: RUNS_LATER,
  },
  {
    pattern: /\/\.(?:ssh|gnupg|aws|kube|password-store)(?:\/|$)|\/\.(?:netrc|npmrc|pypirc|pgpass|git-credentials)$/,
    access: 'read',
    risk: 'high',
    does: 'Reads where secrets are.',
  },
  {
    pattern:
      /\/(?:shadow|gshadow|sudoers|id_[a-z0-9]+|[^/]*\.(?:pem|key|p12|pfx|keystore))$|\/\.env(?!\.(?:example|sample|template|dist)$)(?:\.[\w-]+)?$|\/credentials(?:\.json)?$/,
    access: 'read',
    risk: 'high',
    does: 'Reads where secrets are.',
  },
  {
    pattern: /^\/proc\/(?:[^/]+)\/(?:environ|mem|fd|root|cwd)/,
    access: 'read',
    risk: 'high',
    does: 'Looks into another process.',
  },
];

/** The same by the name alone: `scp .env host:` reads a tree, and names a file with secrets all the same. */
export const sensitivityOfName = (path: string, wanted: 'read' | 'write'): Sensitivity | null =>
  TENDER.find(({ access, pattern }) => access === wanted && pattern.test(path)) ?? null;

/**
 * What the resource adds to the risk, or null.
 * @param home of the user, wherever it is: deleting all of it, or what it lies in, is as bad as near the root
 */
export function sensitivityOf(
  { kind, access, value, isExact }: Resource,
  home: string | null = null,
): { readonly risk: Risk; readonly does: string } | null {
  if (kind !== 'path' || access === 'execute' || access === 'contact') return null;
  const wanted = access === 'read' ? 'read' : 'write';
  const isNearRoot = !isExact && /^\/(?:[^/]*|(?:home|Users)\/[^/]*)$/.test(value) && value !== '/tmp';
  const holdsHome = !isExact && home !== null && isAtOrBelow(home, value);
  if ((isNearRoot || holdsHome) && access === 'delete')
    return {
      risk: 'critical',
      does: isNearRoot ? 'Deletes all that is below a place near the root.' : 'Deletes a whole home directory.',
    };
  const named = sensitivityOfName(value, wanted);
  if (named !== null) return named;
  if (!isNearRoot) return null;
  return access === 'read'
    ? { risk: 'medium', does: 'Reads all that is below a place near the root.' }
    : { risk: 'high', does: 'May change anything below a place near the root.' };
}
