/** Which variables of the environment are ours. The launcher has the same list: the build writes `bin/own-variables.h` from it. */

export const OWN_PREFIXES: readonly string[] = ['APE_', 'APES_'];

/** They say which installation is meant, so children get them too. */
export const NAMING_VARIABLES: readonly string[] = ['APES_HOME'];

/**
 * They decide which installation a call belongs to. What a harness calls for us carries their values itself (`own-call.ts`), since
 * a project can set variables for a harness. Sockets (XDG_RUNTIME_DIR) are not among them: each is checked when it is used.
 */
export const INSTALLATION_VARIABLES: readonly string[] = [
  'APES_HOME',
  'HOME',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'XDG_DATA_HOME',
];

/** Also of those that children get. */
export const hasOwnPrefix = (name: string): boolean => OWN_PREFIXES.some((prefix) => name.startsWith(prefix));

/** Whether no command may see it. */
export const isOwnVariable = (name: string): boolean => hasOwnPrefix(name) && !NAMING_VARIABLES.includes(name);
