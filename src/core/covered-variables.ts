/** The variables that a line gets, beside the user's own, if only a scope covers it. */

/** Settings that win over those in files. The variable takes them in this form in all versions of git; git-config(1) has a newer variable. */
const GIT_SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'protocol.file.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
];

/**
 * Variables of a line that only a scope covers. They take pager and editor away: `!` in `less` and `:!` in `vi` start a
 * shell, and both also read keys from the line's input. The pager becomes `cat`, or is empty if that means none; the
 * editor becomes `true`, which leaves the text as it is. A line whose exact bytes were approved keeps the user's own.
 *
 * They also keep git from what the rules say that it does not do: to run hooks (a scope covers it only where none exist, but one may
 * be made meanwhile) or a monitor of files, and to run the programs of another repository on this host, as a remote or as a submodule.
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
