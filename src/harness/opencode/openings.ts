/** Finds what leaves our plugin out of opencode or Kilo CLI. */
import type { HookPlaces } from '../hook-file.ts';
import type { OpencodeFamily } from './family.ts';

/** Returns one line if a variable of the caller makes the harness leave all plugins out. */
export function openingsOf(family: OpencodeFamily, places: HookPlaces): readonly string[] {
  const name = `${family.prefix}_PURE`;
  return (places.environment.get(name)?.length ?? 0) === 0
    ? []
    : [`${name} is set: it leaves the plugin out, and file tools are open`];
}
