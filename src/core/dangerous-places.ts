/**
 * Places that no path prefix ever covers, because whoever writes there decides what runs next, or because secrets lie
 * there. An exact request may still be approved: the card then says what the place is.
 */
import { type FileOperation, isReading } from './file-operation.ts';

/**
 * @property parts  consecutive parts of a path, wherever they stand; `*` stands for any characters of one part.
 *                  A leading `/` anchors them at the root
 * @property isSecret reading is dangerous too
 */
interface Place {
  readonly code: DangerCode;
  readonly parts: readonly string[];
  readonly isSecret: boolean;
}

/** @property says after the path; `clause` where it says what the path is or does, `note` where it says something else */
interface Danger {
  readonly form: 'clause' | 'note';
  readonly says: string;
}

const clause = (says: string): Danger => ({ form: 'clause', says });
const note = (says: string): Danger => ({ form: 'note', says });

/** Why, in the words of the card. */
const DANGERS = {
  'own-installation': clause('belongs to ape-shell itself: its keys, its settings or its record'),
  'harness-settings': note('settings or hooks of an agent harness: they can switch the gate off'),
  'git-internals': note('git runs the hooks and the commands that are configured here'),
  'shell-start-up': note('a shell runs this by itself when it starts'),
  'program-start-up': note('a program runs or loads this by itself'),
  'login-keys': clause('decides who may log in, or holds keys'),
  credentials: clause('holds passwords, tokens or keys'),
  'program-directory': note('programs here run in the place of others'),
  system: clause('belongs to the operating system'),
  'hard-linked': clause('is the same file under another name, and that place cannot be told'),
  'has-secrets-below': note('places with keys or credentials lie below it'),
} as const satisfies Readonly<Record<string, Danger>>;

export type DangerCode = keyof typeof DANGERS;

/** What a host marks may be of a later version. */
const UNKNOWN_DANGER = clause('was marked as dangerous by its host');

const place = (code: DangerCode, isSecret: boolean, ...paths: readonly string[]): readonly Place[] =>
  paths.map((path) => ({
    code,
    isSecret,
    parts: path.startsWith('/') ? ['/', ...path.slice(1).split('/')] : path.split('/'),
  }));

const settings = (code: DangerCode, ...paths: readonly string[]) => place(code, false, ...paths);
const secrets = (code: DangerCode, ...paths: readonly string[]) => place(code, true, ...paths);

/** The first that fits is named. Where an installation of ours lies elsewhere (APES_HOME), the host marks it. */
const PLACES: readonly Place[] = [
  ...secrets('own-installation', '.config/ape-shell', '.local/state/ape-shell', '.local/share/ape-shell'),
  ...settings('own-installation', '/etc/ape-shell'),
  ...settings('harness-settings', '.claude', '.claude.json', '.mcp.json', '.codex', '.gemini', '.qwen'),
  ...settings('harness-settings', '.opencode', 'opencode.json', 'opencode.jsonc', '.config/opencode', '.openclaw'),
  ...settings('harness-settings', '.cline', '.clinerules', 'Documents/Cline', '.kimi-code', '.hermes', '.grok'),
  ...settings('harness-settings', '/etc/cursor', '/etc/grok'),
  ...settings('harness-settings', '.cursor', '.copilot', '.github/hooks', '.agents', '.config/goose'),
  ...settings('harness-settings', '/etc/claude-code', '/etc/codex', '/etc/gemini-cli', '/etc/qwen-code'),
  ...settings('harness-settings', 'Library/Application Support/ClaudeCode'),
  ...settings('git-internals', '.git', '.gitconfig', '.config/git', '.gitmodules', '.husky'),
  ...secrets('login-keys', '.ssh', '.gnupg', '/etc/ssh', '/etc/shadow*', '/etc/gshadow*', '/etc/sudoers*'),
  ...settings('shell-start-up', '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile'),
  ...settings('shell-start-up', '.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.cshrc', '.tcshrc'),
  ...settings('shell-start-up', '.inputrc', '.config/fish', '.config/nushell', '.pam_environment', '.envrc'),
  ...settings('program-start-up', '.vimrc', '.exrc', '.config/nvim', '.emacs*', '.tmux.conf', '.config/tmux'),
  ...settings('program-start-up', '.xinitrc', '.xprofile', '.xsession', '.config/autostart', '.config/systemd'),
  ...settings('program-start-up', '.vscode', '.idea', 'Library/LaunchAgents', 'Library/LaunchDaemons'),
  ...settings('program-start-up', '.config/environment.d', '/var/spool/cron', '.cargo/config*', '.config/pip'),
  ...secrets('credentials', '.netrc', '.npmrc', '.pypirc', '.git-credentials', '.pgpass', '.my.cnf', '.vault-token'),
  ...secrets('credentials', '.aws', '.azure', '.kube', '.docker/config.json', '.config/gh', '.config/gcloud'),
  ...secrets('credentials', '.password-store', '.local/share/keyrings', '.cargo/credentials*', 'Library/Keychains'),
  ...secrets('credentials', '.mozilla', '.config/google-chrome', '.config/chromium', '.terraform.d'),
  ...settings('program-directory', '.local/bin', '.cargo/bin', '.npm-global', '.bun/bin', '.deno/bin'),
  ...settings('system', '/etc', '/usr', '/bin', '/sbin', '/lib*', '/boot', '/System', '/Library'),
  ...secrets('system', '/proc', '/sys', '/dev', '/run/secrets'),
];

/** What stands for the star in practice: a file system is asked for names, not for patterns. */
const STARRED: Readonly<Record<string, string>> = {
  '.emacs*': '.d',
  '.cargo/config*': '.toml',
  '.cargo/credentials*': '.toml',
};

/** Some file systems take other letters for the same name: what could be the same is treated as the same, here alone. */
export const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

const matchers = PLACES.map(({ code, isSecret, parts }) => ({
  code,
  isSecret,
  isAnchored: parts[0] === '/',
  parts: parts.filter((part) => part !== '/').map(matcherOf),
}));

function matcherOf(pattern: string): (part: string) => boolean {
  const [head = '', ...rest] = folded(pattern).split('*');
  if (rest.length === 0) return (part) => part === head;
  return (part) => part.startsWith(head); // a `*` stands at the end only
}

/** The code of the dangerous place this path is in, or null. `isRead`: only secrets count. */
export function dangerousPlace(path: string, isRead: boolean): DangerCode | null {
  const parts = path.split('/').slice(1).map(folded);
  for (const candidate of matchers) {
    if (isRead && !candidate.isSecret) continue;
    const last = candidate.isAnchored ? 0 : parts.length - candidate.parts.length;
    for (let at = 0; at <= last; at += 1)
      if (candidate.parts.every((fits, index) => fits(parts[at + index] ?? ''))) return candidate.code;
  }
  return null;
}

/**
 * The code of a dangerous place whose own name begins with this directory's, or null: all of `/etc` holds `/etc/ssh`, all
 * of `.config` holds `.config/gh`. Places that may stand anywhere (`.npmrc`) are not looked for.
 */
export function placeWithin(directory: string, isRead: boolean): DangerCode | null {
  const parts = directory === '/' ? [] : directory.split('/').slice(1).map(folded);
  for (const { code, isSecret, isAnchored, parts: place } of matchers) {
    if ((isRead && !isSecret) || (!isAnchored && place.length < 2)) continue;
    const lengths = isAnchored ? [parts.length] : place.slice(1).map((_, index) => index + 1);
    const fits = (length: number) =>
      length < place.length &&
      length <= parts.length &&
      place.slice(0, length).every((matches, index) => matches(parts[parts.length - length + index] ?? ''));
    if (lengths.some(fits)) return code;
  }
  return null;
}

/** Why this operation must be approved exactly, or null: what the host marked, or what the path tells. */
export const dangerOf = (one: FileOperation): string | null =>
  one.danger ?? dangerousPlace(one.path, isReading(one.verb));

const dangerOfCode = (code: string): Danger =>
  Object.hasOwn(DANGERS, code) ? DANGERS[code as DangerCode] : UNKNOWN_DANGER;

export const dangerReason = (code: string): string => dangerOfCode(code).says;

/** The same behind a path or "it", as a clause with a verb. */
export function dangerClause(code: string): string {
  const { form, says } = dangerOfCode(code);
  return form === 'clause' ? says : `is a dangerous place (${says})`;
}

/**
 * Where dangerous places would be in a directory, by the names that may stand anywhere: for keeping them read-only inside
 * what may be written. Those deeper down have other names, and are not among them.
 */
export const dangerousPlacesIn = (directory: string): readonly string[] =>
  INSIDE.map((name) => `${directory === '/' ? '' : directory}/${name}`);

const INSIDE: readonly string[] = PLACES.filter(({ parts }) => parts[0] !== '/' && parts[0] !== 'Library').flatMap(
  ({ parts }) => {
    const name = parts.join('/');
    return name.endsWith('*') ? [name.slice(0, -1), `${name.slice(0, -1)}${STARRED[name] ?? ''}`] : [name];
  },
);

/** Places with secrets below a home directory, for the host to see whether a search would walk through them. */
export const secretPlacesIn = (home: string): readonly string[] =>
  PLACES.filter(({ isSecret, parts }) => isSecret && parts[0] !== '/' && !parts.some((part) => part.includes('*'))).map(
    ({ parts }) => `${home === '/' ? '' : home}/${parts.join('/')}`,
  );
