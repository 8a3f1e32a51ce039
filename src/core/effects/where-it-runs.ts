/**
 * If a command runs elsewhere, its operation begins with `on` or `in`: `on web: rm`, `in CONTAINER: ls`. Scopes and rules contain these
 * words as part of the operation. A command whose operation begins with `as USER:` or `under DIRECTORY:` runs on this host. Such a command
 * has other rights or another root directory.
 */
import type { Permission } from './permission.ts';

export const ON_HOST = 'on';
export const IN_CONTAINER = 'in';
export const IN_NAMESPACE = 'in another namespace';

const AWAY: readonly string[] = [ON_HOST, IN_CONTAINER];

/** The first words of operations whose command runs with other rights or elsewhere. `as` is also the name of a tool: `as x.s`. */
const FIRST_WORDS: readonly string[] = [ON_HOST, IN_CONTAINER, 'as', 'under'];

/** Returns `away` for another host or a container, `privileged` if the command needs rights that a confined run never has, else `here`. */
export function placeOfRun({ tool, operation }: Permission): 'here' | 'away' | 'privileged' {
  const isPrefixed = FIRST_WORDS.includes(tool) && operation.includes(': ');
  if (operation === tool || (operation.startsWith(`${tool} `) && !isPrefixed)) return 'here';
  if (operation.startsWith(`${IN_NAMESPACE}: `)) return 'privileged';
  return AWAY.some((word) => operation.startsWith(`${word} `)) ? 'away' : 'privileged';
}
