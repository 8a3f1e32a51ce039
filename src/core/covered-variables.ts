/**
 * The variables that ape-shell sets for a line if scopes cover the line. It does not set them if the exact bytes of the line were approved.
 * All other variables keep the user's values.
 */

/** Settings of git for `GIT_CONFIG_PARAMETERS`. They take precedence over the settings in files. All versions of git read this form. */
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
];

/**
 * Name and value of each variable.
 *
 * Most of them replace the pager and the editor. `!` in `less` and `:!` in `vi` start a shell, and the caller of the line can send these
 * keys. The pager becomes `cat`, or nothing if an empty value means "no pager". The editor becomes `true`, which does not change the text.
 *
 * `GIT_CONFIG_PARAMETERS` is there for two assumptions of the rule file of git:
 * - No program of a hook, a file system monitor, a remote on this host or a submodule runs. A scope covers git only if the repository has
 *   no hooks at the time of the decision, but a hook may be made later.
 * - Some effects need an option: to write a tracking branch into `.git/config`, to check signatures, to delete refs of remote branches.
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
