/** The variables that ape-shell sets for a line that only a scope covers. All other variables keep the user's values. */

/** Settings of git that take precedence over those in files. All versions of git read `GIT_CONFIG_PARAMETERS` in this form. */
const GIT_SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'protocol.file.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
];

/**
 * Name and value of each variable. They replace the pager and the editor: `!` in `less` and `:!` in `vi` start a shell, and both programs
 * also read keys from the line's input. The pager becomes `cat`, or the empty value where that means no pager. The editor becomes `true`,
 * which does not change the text. A line whose exact bytes were approved keeps the user's own variables.
 *
 * `GIT_CONFIG_PARAMETERS` keeps git from running hooks, the file system monitor and programs of another repository on this host that is a remote or a submodule. The rule file of git
 * assumes that none of them runs. A scope covers git only where no hooks exist; but a
 * hook may be made after the decision.
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
