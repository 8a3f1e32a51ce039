/**
 * Programs that git's settings name and that git runs while it writes `.git`: filters, merge programs, programs for signatures. Like a
 * hook, such a program can be code of the project, or start code of the project.
 */
import type { GitSetting } from '../../core/text/git-settings.ts';

/**
 * Arguments of a program. A shell reads the arguments, so they contain no `;`, `|` or backquote. An argument with a slash must be an
 * absolute path or below the home directory.
 */
const WORD = '(?: (?:"\\$@"|[$%@]?[\\w.,:=@+-]+|[~/][\\w./@+-]+))*';
/**
 * Programs that run no code of the project. The programs from `git-lfs` to `hexdump` may have any arguments that match `WORD`. The other
 * programs may have only known arguments, because an argument can name a file from which such a program loads code or settings
 * (`gpg --options FILE`, `ssh-keygen -D FILE`, `delta --pager FILE`).
 */
const PLAIN_PROGRAM = new RegExp(
  [
    '^(?:/(?:usr|opt|bin|Applications)/(?:[\\w.@+-]+/)*)?(?:',
    [
      `(?:git-lfs|git-crypt|cat|pdftotext|xxd|hexdump)${WORD}`,
      '(?:gpg2?|gpgsm)(?: (?:--(?:no-tty|batch|quiet|yes|armor|decrypt|encrypt|sign|verify)|-[adeqs]+))*',
      'ssh-add(?: -[lL])?',
      'delta(?: --color-only)?',
      'ssh-keygen|op-ssh-sign|smimesign|diff-so-fancy',
    ].join('|'),
    ')$',
  ].join(''),
);
const SSH = /^(?:\/usr\/bin\/)?ssh(?: -i [~/][\w./@+-]+| -o IdentitiesOnly=yes| -[46ATqvx]| -F \/dev\/null)*$/;
/** The name of a helper, which git looks up as `git-credential-NAME`, or a client of a forge. An empty value removes other helpers. */
const HELPER = new RegExp(
  `^(?:|[\\w.-]+${WORD}|!?/(?:usr|opt)/[\\w./-]+/git-credential-[\\w-]+|!(?:/(?:usr|opt)/[\\w./-]+/)?(?:gh auth git-credential|glab auth git-credential|aws codecommit credential-helper \\$@))$`,
);
const STRATEGY = /^(?:octopus|ort|ours|recursive|resolve|subtree)$/;
const NEVER = /$^/;

/** By section and key, in lower case: the values that run no code of the project. For `lfs`: git-lfs-config(5). */
const PROGRAMS: ReadonlyMap<string, RegExp> = new Map([
  ['branch.mergeoptions', /^(?:--(?:no-)?(?:ff|ff-only|stat|commit|edit|log|squash) ?)*$/],
  ['core.alternaterefscommand', NEVER],
  ['core.askpass', NEVER],
  ['core.gitproxy', NEVER],
  ['core.sshcommand', SSH],
  ['credential.helper', HELPER],
  ['delta.pager', NEVER],
  ['diff.command', PLAIN_PROGRAM],
  ['diff.external', PLAIN_PROGRAM],
  ['diff.textconv', PLAIN_PROGRAM],
  ['filter.clean', PLAIN_PROGRAM],
  ['filter.process', PLAIN_PROGRAM],
  ['filter.smudge', PLAIN_PROGRAM],
  ['gc.recentobjectshook', NEVER],
  ['gpg.defaultkeycommand', PLAIN_PROGRAM],
  ['gpg.program', PLAIN_PROGRAM],
  ['interactive.difffilter', PLAIN_PROGRAM],
  ['lfs.clean', NEVER],
  ['lfs.path', NEVER],
  ['lfs.smudge', NEVER],
  ['merge.driver', PLAIN_PROGRAM],
  ['pull.octopus', STRATEGY],
  ['pull.twohead', STRATEGY],
  ['remote.vcs', NEVER],
  ['submodule.update', /^(?:checkout|rebase|merge|none)$/],
  ['trailer.cmd', NEVER],
  ['trailer.command', NEVER],
]);

/** Finds the keys of `PROGRAMS`, and each setting of git-lfs, in the value of a `GIT_CONFIG_…` variable. */
export const PROGRAM_KEY = new RegExp(
  [...PROGRAMS.keys()]
    .map((name) => (name.startsWith('lfs.') ? 'lfs\\.' : name.slice(name.indexOf('.') + 1)))
    .join('|'),
  'i',
);

/** Whether the setting possibly names a program that runs code of the project; in doubt true. */
export function mayRunProjectCode({ section, key, value }: GitSetting): boolean {
  const plain = PROGRAMS.get(`${section}.${key}`);
  return plain !== undefined && (value === null || value.includes('..') || !plain.test(commandIn(value)));
}

/** The command without quotes around its first word. */
const commandIn = (value: string): string => value.replace(/^"([\w./+-]+)"/, '$1');
