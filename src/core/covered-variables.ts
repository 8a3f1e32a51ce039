/**
 * The variables that ape-shell sets for a line that scopes cover, but not for a line whose exact bytes were approved. All other variables
 * keep the user's values.
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
 * Most of them replace the pager and the editor: `!` in `less` and `:!` in `vi` start a shell, and both programs read keys from the
 * input of the line. The pager becomes `cat`; a variable whose empty value means "no pager" is set to the empty text. The editor becomes
 * `true`, which does not change the text.
 *
 * With `GIT_CONFIG_PARAMETERS`, git runs no hooks and no file system monitor, uses no remote that is a path on this host, and does not
 * go on into submodules by itself. It also writes no tracking branch into `.git/config`, checks no signatures and deletes no refs of remote
 * branches, unless an option says so: the rule file of git knows these effects by the options alone. The rule file of git assumes that no program of a hook, monitor, remote or submodule runs. A scope
 * covers git only if the repository has no hooks at the time of the decision, but a hook may be made later.
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
