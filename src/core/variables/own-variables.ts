/** Our own environment variables. The build writes the same lists into `bin/own-variables.h` for the launcher. */

export const OWN_PREFIXES: readonly string[] = ['APE_', 'APES_'];

/** Our variables that name the installation. A command inherits these variables, but not our other variables. */
export const NAMING_VARIABLES: readonly string[] = ['APES_HOME'];

/**
 * Variables that decide which installation our programs use. A project can set variables for a harness. So we write the right values into
 * the commands that a harness runs (`core/grant/own-call.ts`). XDG_RUNTIME_DIR is not in the list: our programs check each socket before
 * its use.
 */
export const INSTALLATION_VARIABLES: readonly string[] = [
  'APES_HOME',
  'HOME',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'XDG_DATA_HOME',
];

/** Whether the name has one of our prefixes. */
export const hasOwnPrefix = (name: string): boolean => OWN_PREFIXES.some((prefix) => name.startsWith(prefix));

/**
 * Whether the variable is ours and is not in `NAMING_VARIABLES`. A command does not inherit such a variable. But a session sets
 * `APES_SESSION` anew for its program.
 */
export const isOwnVariable = (name: string): boolean => hasOwnPrefix(name) && !NAMING_VARIABLES.includes(name);
