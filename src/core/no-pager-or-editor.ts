/**
 * Variables that take pager and editor away from a line that only a scope covers: `!` in `less` and `:!` in `vi` start a
 * shell, and both also read keys from the line's input. The pager becomes `cat`, or is empty if that means none; the
 * editor becomes `true`, which leaves the text as it is. A line whose exact bytes were approved keeps the user's own.
 */
export const NO_PAGER_OR_EDITOR: readonly (readonly [string, string])[] = [
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
];
