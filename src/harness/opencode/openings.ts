/** Finds a variable that makes opencode or Kilo CLI ignore our plugin. */
import type { HookPlaces } from '../hook-file.ts';
import type { OpencodeFamily } from './family.ts';

/** Returns one line if the caller's environment makes the harness ignore all plugins; else an empty list. */
export function openingsOf(family: OpencodeFamily, places: HookPlaces): readonly string[] {
  const name = `${family.prefix}_PURE`;
  return (places.environment.get(name)?.length ?? 0) === 0
    ? []
    : [`${name} is set: the harness leaves the plugin out, and file tools are not gated`];
}
