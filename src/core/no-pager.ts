/**
 * A line that only a scope covers, and that was not approved by its bytes, has no pager: in `less` an exclamation mark
 * starts a shell. `cat` where a program takes a name, empty where that means none. An exact approval keeps the user's
 * own.
 */
export const WITHOUT_PAGER: readonly (readonly [string, string])[] = [
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
];
