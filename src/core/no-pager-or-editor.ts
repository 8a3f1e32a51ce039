/**
 * A line that only a scope covers, and that was not approved by its bytes, has no pager and no editor: in `less` an exclamation
 * mark starts a shell, in `vi` it does behind a colon, and both take it from the input of the line too. For a pager `cat` where
 * a program takes a name, empty where that means none; for an editor `true`, which leaves the text as it is. An exact approval
 * keeps the user's own.
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
