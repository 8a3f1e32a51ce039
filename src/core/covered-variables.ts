/**
 * The variables that ape-shell sets for a line if scopes cover the line. If the exact bytes of the line were approved, ape-shell does not
 * set these variables.
 */

/** Settings of git for `GIT_CONFIG_PARAMETERS`, which overrule the settings in files. All versions of git read this form. */
const GIT_SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'protocol.file.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'branch.autoSetupMerge=false',
  'checkout.guess=false',
  'log.showSignature=false',
  'fetch.prune=false',
  'fetch.pruneTags=false',
  'push.followTags=false',
  'rebase.updateRefs=false',
  'format.pretty=medium',
];

/**
 * Name and value of each variable.
 *
 * Most of these variables replace the pager and the editor. `!` in `less` and `:!` in `vi` start a shell. The caller of the line can send
 * these keys. The pager becomes `cat`. Variables for which an empty value means "no pager" get this empty value. The editor becomes `true`,
 * which does not change the text.
 *
 * `GIT_CONFIG_PARAMETERS` makes two assumptions of git's rule file true:
 * - Git runs no hook and no file system monitor. Git enters a submodule only with an option. Git contacts no remote that is a repository
 *   on this host: programs of the remote would run. If the repository has hooks at the time of the decision, no scope covers a command
 *   that writes `.git`. But a hook may be made after the decision.
 * - Git does these things only with an option: write a tracking branch into `.git/config`, check signatures, delete refs of remote
 *   branches, push tags, and move other branches in a rebase.
 */
export const COVERED_VARIABLES: readonly (readonly [string, string])[] = [
  ['PAGER', 'cat'],
  ['GIT_PAGER', 'cat'],
  ['MANPAGER', 'cat'],
  ['SYSTEMD_PAGER', 'cat'],
  ['GH_PAGER', 'cat'],
  ['GLAB_PAGER', 'cat'],
  ['PSQL_PAGER', 'cat'],
  ['DPKG_PAGER', 'cat'],
  ['DELTA_PAGER', 'cat'],
  ['ACK_PAGER', 'cat'],
  ['RI_PAGER', 'cat'],
  ['PERLDOC_PAGER', 'cat'],
  ['BAT_PAGER', ''],
  ['BAT_CONFIG_PATH', '/dev/null'], // the settings of bat may name a pager, which comes before BAT_PAGER
  ['AWS_PAGER', ''],
  ['LESSSECURE', '1'],
  ['EDITOR', 'true'],
  ['VISUAL', 'true'],
  ['GIT_EDITOR', 'true'],
  ['GIT_SEQUENCE_EDITOR', 'true'],
  ['GH_EDITOR', 'true'],
  ['KUBE_EDITOR', 'true'],
  ['SYSTEMD_EDITOR', 'true'],
  ['SUDO_EDITOR', 'true'],
  ['PSQL_EDITOR', 'true'],
  ['BUNDLER_EDITOR', 'true'],
  ['FCEDIT', 'true'],
  ['GIT_CONFIG_PARAMETERS', GIT_SETTINGS.map((setting) => `'${setting}'`).join(' ')],
];
