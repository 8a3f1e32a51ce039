/**
 * The table of sensitive places. Files there decide what runs later, belong to the system or contain secrets. Each row says whether a scope
 * may cover the place (`danger`), and what the place adds to the risk of a command (`rises`).
 */
import type { Risk } from '../effects/permission.ts';
import { besideWorktrees } from '../files/worktree-path.ts';
import { originalNames, SECRET_NAMES } from './secret-names.ts';

/** What the use of a place adds to the risk of a command, with a sentence for the approver. */
export interface Rise {
  readonly access: 'read' | 'write';
  readonly risk: Risk;
  readonly does: string;
}

/**
 * @property parts     consecutive components of a path. They match anywhere in the path. If the first component is `/`, they match only
 *                     from the root directory. A `*` is a whole component or the end of a component, and matches any text. Everything
 *                     below belongs to the place
 * @property name      a test for the last component of a path; then `parts` is empty. Null: the row matches by `parts`
 * @property examples  names that `name` matches, one for each kind of name
 * @property butBelow  the name of an entry in the place. The row matches neither this entry nor paths below this entry; null: no exception
 * @property danger    why no scope covers writing to the place; null: the place only adds to the risk
 * @property isSecret  true: no scope covers reading the place; false: a scope may cover reading. Not used if `danger` is null
 */
interface SensitivePlace {
  readonly parts: readonly string[];
  readonly name: RegExp | null;
  readonly examples: readonly string[];
  readonly butBelow: string | null;
  readonly danger: DangerCode | null;
  readonly isSecret: boolean;
  readonly rises: readonly Rise[];
}

/** Why no scope covers a path; `dangerous-places.ts` has the texts. */
export type DangerCode =
  | 'own-installation'
  | 'harness-settings'
  | 'git-internals'
  | 'shell-start-up'
  | 'program-start-up'
  | 'login-keys'
  | 'credentials'
  | 'program-directory'
  | 'system'
  | 'hard-linked'
  | 'has-secrets-below'
  | 'names-secrets'
  | 'holds-places'
  | 'other-place'
  | 'whole-directory'
  | 'link';

const RUNS_LATER: Rise = {
  access: 'write',
  risk: 'high',
  does: 'Writes to a place of programs or settings that take effect later.',
};
const CHANGES_SYSTEM: Rise = { access: 'write', risk: 'high', does: 'Changes the system.' };
const WRITES_DISK: Rise = { access: 'write', risk: 'critical', does: 'Writes to a disk itself.' };
const READS_SECRETS: Rise = { access: 'read', risk: 'high', does: 'Reads a place with secrets.' };
const LOOKS_INSIDE: Rise = { access: 'read', risk: 'high', does: 'Looks into another process.' };

const partsOf = (path: string): readonly string[] =>
  path.startsWith('/') ? ['/', ...path.slice(1).split('/')] : path.split('/');

const row = (
  danger: DangerCode | null,
  isSecret: boolean,
  rises: readonly Rise[],
  paths: readonly string[],
): readonly SensitivePlace[] =>
  paths.map((path) => ({ parts: partsOf(path), name: null, examples: [], butBelow: null, danger, isSecret, rises }));

/** Rows of programs and settings: writing there decides what runs. */
const settings = (danger: DangerCode, ...paths: readonly string[]) => row(danger, false, [RUNS_LATER], paths);
/** Rows of keys and passwords: reading reveals them, writing decides who may log in. */
const secrets = (danger: DangerCode, ...paths: readonly string[]) =>
  row(danger, true, [READS_SECRETS, RUNS_LATER], paths);
/** Rows that only add to the risk: a scope may cover these places. */
const rising = (rise: Rise, ...paths: readonly string[]) => row(null, false, [rise], paths);
const named = (rise: Rise, name: RegExp, ...examples: readonly string[]): readonly SensitivePlace[] => [
  { parts: [], name, examples, butBelow: null, danger: null, isSecret: false, rises: [rise] },
];
/** A row for the name of a file. A program may take settings from any directory with such a file. */
const namedSettings = (danger: DangerCode, name: RegExp, ...examples: readonly string[]): readonly SensitivePlace[] => [
  { parts: [], name, examples, butBelow: null, danger, isSecret: false, rises: [RUNS_LATER] },
];
const butBelow = (rest: string, rows: readonly SensitivePlace[]) => rows.map((one) => ({ ...one, butBelow: rest }));

/**
 * Several rows can match a path. The first matching row that has a rise for the access decides the risk. The first matching row that has a
 * danger decides whether a scope may cover the path. If APES_HOME moves our installation, no row matches the new paths. The host then
 * reports these paths: in `FileOperation.danger` for file operations, and in `HostFacts.own` for lines.
 */
const SENSITIVE_PLACES: readonly SensitivePlace[] = [
  ...rising(WRITES_DISK, '/dev/sd*', '/dev/hd*', '/dev/vd*', '/dev/nvme*', '/dev/mmcblk*', '/dev/dm-*', '/dev/mapper*'),
  ...rising(WRITES_DISK, '/dev/loop*', '/dev/disk*', '/dev/mem', '/dev/kmem'),
  ...secrets('own-installation', '.config/ape-shell', '.local/state/ape-shell', '.local/share/ape-shell'),
  ...row('own-installation', false, [CHANGES_SYSTEM], ['/etc/ape-shell']),
  ...settings('harness-settings', '.claude', '.claude.json', '.mcp.json', '.codex', '.gemini', '.qwen'),
  ...settings('harness-settings', '.opencode', 'opencode.json', 'opencode.jsonc', '.config/opencode', '.openclaw'),
  ...settings('harness-settings', '.kilo', '.kilocode', 'kilo.json', 'kilo.jsonc', '.config/kilo'),
  ...settings('harness-settings', '.cline', '.clinerules', 'Documents/Cline', '.kimi-code', '.hermes', '.grok'),
  ...settings('harness-settings', '.cursor', '.copilot', '.github/hooks', '.agents', '.config/goose'),
  ...settings('harness-settings', '.pi', '.github/copilot', '.github/extensions', '.github/mcp.json'),
  ...settings('harness-settings', '.github/lsp.json', '.cache/copilot'), // Copilot unpacks its own program there
  ...row('harness-settings', false, [CHANGES_SYSTEM], ['/etc/claude-code', '/etc/codex', '/etc/gemini-cli']),
  ...row(
    'harness-settings',
    false,
    [CHANGES_SYSTEM],
    ['/etc/qwen-code', '/etc/opencode', '/etc/kilo', '/etc/github-copilot', '/etc/cursor', '/etc/grok'],
  ),
  ...settings('harness-settings', 'Library/Application Support/ClaudeCode'),
  ...settings('git-internals', '.git', '.gitconfig', '.config/git', '.gitmodules', '.husky'),
  // A directory with `HEAD`, `objects` and `refs` is a repository, and git runs the programs that its `config` names.
  ...namedSettings('git-internals', /^head$/, 'HEAD'),
  ...secrets('login-keys', '.ssh', '.gnupg'),
  ...row(
    'login-keys',
    true,
    [READS_SECRETS, CHANGES_SYSTEM],
    ['/etc/ssh', '/etc/shadow*', '/etc/gshadow*', '/etc/sudoers*'],
  ),
  ...settings('shell-start-up', '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile'),
  ...settings('shell-start-up', '.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.cshrc', '.tcshrc'),
  ...settings('shell-start-up', '.inputrc', '.config/fish', '.config/nushell', '.pam_environment', '.envrc'),
  ...settings('program-start-up', '.vimrc', '.exrc', '.config/nvim', '.emacs*', '.tmux.conf', '.config/tmux'),
  ...settings('program-start-up', '.xinitrc', '.xprofile', '.xsession', '.config/autostart', '.config/systemd'),
  ...settings('program-start-up', '.vscode', '.idea', 'Library/LaunchAgents', 'Library/LaunchDaemons'),
  ...settings(
    'program-start-up',
    '.hg',
    '.jj',
    'mise.toml',
    '.mise.toml',
    '.config/mise',
    '.yarnrc.yml',
    '.gdbinit',
    '.dir-locals.el',
    // Options of GNU parallel in these files can contain Perl code, or the command to run.
    '.parallel',
    '.parallelrc',
    '.config/parallel',
  ),
  ...settings('program-start-up', '.config/environment.d', '/var/spool/cron', '.cargo/config*', '.config/pip'),
  ...secrets('credentials', '.netrc', '.npmrc', '.pypirc', '.git-credentials', '.pgpass', '.my.cnf', '.vault-token'),
  ...secrets('credentials', '.envs', '.aws', '.azure', '.kube', '.docker/config.json', '.config/gh', '.config/gcloud'),
  ...secrets('credentials', '.password-store', '.local/share/keyrings', '.cargo/credentials*', 'Library/Keychains'),
  ...secrets('credentials', '.mozilla', '.config/google-chrome', '.config/chromium', '.terraform.d', '.thunderbird'),
  ...secrets('credentials', '.m2/settings*', '.gem/credentials', '.config/rclone', '.config/hub', '.config/doctl'),
  ...secrets('credentials', '.oci', '.kaggle', '.huggingface', '.cache/huggingface/token', '.snowsql', '.config/sops'),
  ...secrets('credentials', '.config/turborepo/auth.json', '.config/turborepo/config.json', '.config/com.vercel.cli'),
  ...secrets('credentials', '.local/share/com.vercel.cli'),
  ...settings('program-directory', '.local/bin', '.cargo/bin', '.npm-global', '.bun/bin', '.deno/bin'),
  // Homebrew gives these directories to the user who installs it.
  ...settings('program-directory', '/opt/homebrew', '/home/linuxbrew', '.linuxbrew'),
  ...row('system', false, [CHANGES_SYSTEM], ['/snap', '/nix', '/run/current-system']),
  ...row('system', false, [CHANGES_SYSTEM], ['/var/lib/flatpak', '/var/lib/snapd']),
  ...row('system', false, [CHANGES_SYSTEM], ['/etc', '/usr', '/bin', '/sbin', '/lib*', '/boot', '/System', '/Library']),
  ...rising(LOOKS_INSIDE, '/proc/*/environ', '/proc/*/mem', '/proc/*/fd*', '/proc/*/root', '/proc/*/cwd'),
  ...row('system', true, [CHANGES_SYSTEM], ['/proc', '/sys']),
  // A scope may cover /dev/shm. Programs keep shared memory there, like temporary files in /tmp.
  ...butBelow('shm', row('system', true, [], ['/dev'])),
  ...row('system', true, [], ['/run/secrets']),
  ...rising(CHANGES_SYSTEM, '/opt'),
  ...rising(RUNS_LATER, '.gitattributes', '.bash*', '.zsh*', '.lessfilter'),
  ...rising(RUNS_LATER, '.config', '.local', '.vim', '.cargo', '.docker', '.github'),
  // npm checks the digest of each file that it reads from its cache.
  ...butBelow('_cacache', rising(RUNS_LATER, '.npm')),
  ...rising(RUNS_LATER, 'cron*', 'systemd', 'init.d', 'autostart', 'LaunchAgents'),
  ...SECRET_NAMES.flatMap(({ name, examples }) => named(READS_SECRETS, name, ...examples)),
];

/** One name or relative path for each kind of secret. A pattern that matches one of these examples can match a secret. */
export const SECRET_EXAMPLES: readonly string[] = SENSITIVE_PLACES.flatMap(({ parts, examples, rises }) => {
  if (!rises.includes(READS_SECRETS) || parts[0] === '/') return [];
  return parts.length === 0 ? examples : [parts.join('/').replace(/\*$/, '')];
});

/** Folds the case and the Unicode form of a name. Some file systems ignore case and form. The table compares folded names. */
export const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/**
 * @property isAnchored whether the place is at one path from the root directory; false: it can be in any directory
 * @property parts      a test for each component of the place; empty if the place has a `name`
 */
export interface PlaceMatcher {
  readonly place: SensitivePlace;
  readonly isAnchored: boolean;
  readonly parts: readonly ((part: string) => boolean)[];
}

/** One matcher for each row, in the order of the table. A matcher expects `folded` components. */
export const PLACE_MATCHERS: readonly PlaceMatcher[] = SENSITIVE_PLACES.map((place) => ({
  place,
  isAnchored: place.parts[0] === '/',
  parts: place.parts.filter((part) => part !== '/').map(matcherOf),
}));

function matcherOf(pattern: string): (part: string) => boolean {
  const [head = '', ...rest] = folded(pattern).split('*'); // a `*` is at the end only
  return rest.length === 0 ? (part) => part === head : (part) => part.startsWith(head);
}

/** The components of an absolute path, folded for the matchers. A worktree in `.claude/worktrees` counts as if it were beside `.claude`. */
export const foldedParts = (path: string): readonly string[] => besideWorktrees(path).split('/').slice(1).map(folded);

/**
 * Returns a list with this path. If the last component is the name of a copy (`.env.bak`), the list also has the paths that the original can
 * have (`.env`), because the copy has the same content.
 * @param parts the components, as `foldedParts` returns them
 */
export function withOriginal(parts: readonly string[]): readonly (readonly string[])[] {
  return [parts, ...originalNames(parts.at(-1) ?? '').map((name) => [...parts.slice(0, -1), name])];
}

/**
 * Whether a path with this last component may be a place, or the copy of a place. If false, the path can still be below a place.
 */
export const isPartOfPlace = (name: string): boolean =>
  withOriginal([folded(name)]).some(([last = '']) =>
    PLACE_MATCHERS.some(({ place, parts }) => place.name?.test(last) ?? parts.at(-1)?.(last) === true),
  );

/**
 * Whether the path is the place or is in the place.
 * @param parts the components of the path, as `foldedParts` returns them
 */
export function isInPlace({ place, isAnchored, parts: wanted }: PlaceMatcher, parts: readonly string[]): boolean {
  if (place.name !== null) return place.name.test(parts.at(-1) ?? '');
  const last = isAnchored ? 0 : parts.length - wanted.length;
  for (let at = 0; at <= last; at += 1) {
    if (!wanted.every((fits, index) => fits(parts[at + index] ?? ''))) continue;
    if (place.butBelow === null || parts[at + wanted.length] !== place.butBelow) return true;
  }
  return false;
}
