/** No variable of ours reaches a command, except the one that names the installation. `bin/launcher.c` has the same rule. */
export const isOwnVariable = (name: string): boolean =>
  name.startsWith('APE_') || (name.startsWith('APES_') && name !== 'APES_HOME');

export const withoutOwnVariables = (environment: ReadonlyMap<string, Buffer>): Map<string, Buffer> =>
  new Map([...environment].filter(([name]) => !isOwnVariable(name)));
