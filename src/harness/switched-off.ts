/** Finds settings of the user or the machine that switch hooks off, or that make hooks ask another installation. */

import { foundObject } from './found-files.ts';
import { doesSteer } from './steering-variables.ts';
import { isObject, type JsonObject } from './tool-call.ts';

/** Returns `FILE: SETTING` for each setting that works against the gate. A file that is missing or is not JSON has no settings. */
export function findSwitches(files: readonly string[]): readonly string[] {
  return files.flatMap((file) => {
    const settings = foundObject(file);
    return settings === null ? [] : switchesIn(settings).map((what) => `${file}: ${what}`);
  });
}

function switchesIn(settings: JsonObject): string[] {
  const found: string[] = [];
  const member = (outer: string, name: string): unknown => {
    const inner = settings[outer];
    return isObject(inner) ? inner[name] : undefined;
  };
  if (settings['disableAllHooks'] === true) found.push('disableAllHooks is true');
  if (member('hooksConfig', 'enabled') === false) found.push('hooksConfig.enabled is false');
  if (member('tools', 'enableHooks') === false) found.push('tools.enableHooks is false');
  const disabled = ['hooksConfig', 'hooks'].flatMap((outer) => {
    const names = member(outer, 'disabled');
    return Array.isArray(names) ? names : [];
  });
  if (disabled.length > 0) found.push(`hooks are disabled: ${disabled.join(', ')}`);
  const environment = settings['env'];
  if (isObject(environment))
    for (const name of Object.keys(environment)) if (doesSteer(name)) found.push(`env sets ${name}`);
  return found;
}
