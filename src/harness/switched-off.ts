/** Finds settings of a project or the user that switch hooks off, or that make hooks ask another installation. */

import { hasOwnPrefix } from '../core/variables/own-variables.ts';
import { PLACE_VARIABLES } from '../platform/paths.ts';
import { foundObject } from './found-files.ts';
import { isObject, type JsonObject } from './tool-call.ts';

/** Returns `FILE: SETTING` for each setting that works against the gate. A file that is missing or is not JSON has no settings. */
export function findSwitches(files: readonly string[]): readonly string[] {
  return files.flatMap((file) => {
    const settings = foundObject(file);
    return settings === null ? [] : switchesIn(settings).map((what) => `${file}: ${what}`);
  });
}

/**
 * Variables that can make a harness start other programs without the gate (through the shell of a hook or command, the loader, or git), or
 * can change which installation is asked.
 */
const STEERING: ReadonlySet<string> = new Set([
  ...PLACE_VARIABLES,
  ...['PATH', 'SHELL', 'CLAUDE_CODE_SHELL', 'CLAUDE_CODE_SHELL_PREFIX', 'CLAUDE_ENV_FILE', 'CLAUDE_CONFIG_DIR'],
  ...['BASH_ENV', 'ENV', 'ZDOTDIR', 'NODE_OPTIONS', 'GLIBC_TUNABLES'],
]);
const STEERING_FAMILIES = /^(?:LD_|DYLD_|GIT_|BASH_FUNC_|BUN_)/;
const steers = (name: string): boolean => STEERING.has(name) || STEERING_FAMILIES.test(name) || hasOwnPrefix(name);

function switchesIn(settings: JsonObject): string[] {
  const found: string[] = [];
  const member = (outer: string, name: string): unknown => {
    const inner = settings[outer];
    return isObject(inner) ? inner[name] : undefined;
  };
  if (settings['disableAllHooks'] === true) found.push('disableAllHooks is true');
  if (member('hooksConfig', 'enabled') === false) found.push('hooksConfig.enabled is false');
  if (member('tools', 'enableHooks') === false) found.push('tools.enableHooks is false');
  const disabled = member('hooksConfig', 'disabled') ?? member('hooks', 'disabled');
  if (Array.isArray(disabled) && disabled.length > 0) found.push(`hooks are disabled: ${disabled.join(', ')}`);
  const environment = settings['env'];
  if (isObject(environment))
    for (const name of Object.keys(environment)) if (steers(name)) found.push(`env sets ${name}`);
  return found;
}
