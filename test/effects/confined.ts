/** Runs a call again, confined: whether it still did something outside, and whether what it may do still works. */
import { replaceAbsentPlaces } from '../../src/core/confinement/absent-places.ts';
import { baseEntriesFor } from '../../src/core/confinement/base-profile.ts';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { encodeProfile } from '../../src/core/confinement/profile.ts';
import { kindOfPlace } from '../../src/platform/confinement.ts';
import { accessesOf, describe, isOnMachine, type TracedAccess } from './compare.ts';
import type { Stage } from './stage.ts';
import type { Happening } from './tracer.ts';

const SHELL = '/usr/bin/bash';

/** What a host puts on when the line starts: the stage is as it will find it. */
export const settled = (held: Confinement): Confinement => replaceAbsentPlaces(held, kindOfPlace);

/** Makes the profile as a host does, for the stage's home. Throws if it cannot: such a confinement must not be offered. */
export function profileOf(held: Confinement, stage: Stage): Uint8Array {
  const base = [...baseEntriesFor(held.tools, stage.home), ['execute', SHELL] as const];
  const text = encodeProfile(held, base);
  if (!text.ok) throw new Error(text.failure.message);
  return Buffer.from(text.value);
}

const isIn = (place: string, path: string): boolean => place === '/' || path === place || path.startsWith(`${place}/`);

/** What succeeded although neither the confinement nor the base profile has it. */
export function escapesOf(held: Confinement, happening: Happening, stage: Stage): readonly string[] {
  const base = baseEntriesFor(held.tools, stage.home);
  const devices = base.flatMap(([kind, path]) => (kind === 'device' ? [path] : []));
  const starts = [...held.execute, SHELL, ...base.flatMap(([kind, path]) => (kind === 'execute' ? [path] : []))];
  // The kernel lets it open its own input once more, by the name /dev/stdin.
  const reads = [...held.read, ...held.write, ...starts, ...base.map(([, path]) => path), stage.input];
  const writes = [...held.write, ...devices];
  const mayBe = ({ what, path }: TracedAccess): boolean => {
    const has = (places: readonly string[]): boolean => places.some((place) => isIn(place, path));
    if (what === 'read') return has(reads);
    if (what === 'execute') return has(starts);
    if (what === 'connect' || what === 'send') return mayConnect(held, path);
    // With all ports it may listen too (`c *` in bin/confinement.h). With some: its own end of a connection, whose port the kernel chooses.
    if (what === 'bind')
      return path.startsWith('inet ') && (held.connect === 'any' || (held.connect.length > 0 && path.endsWith(' 0')));
    // kill(2) to -1 succeeds when one process was reached: the caller's own, since the others are kept from it (security tests).
    if (what === 'signal') return path === 'process -1';
    if (what === 'system') return false;
    return has(writes) && !held.readOnly.some((place) => isIn(place, path));
  };
  const accesses = happening.effects
    .flatMap(accessesOf)
    .filter((access) => access.error === 0 && isOnMachine(access) && !mayBe(access));
  return [...new Set(accesses.map(describe))];
}

function mayConnect({ connect }: Confinement, address: string): boolean {
  const [family, , port] = address.split(' ');
  return family === 'inet' && (connect === 'any' || connect.includes(Number(port)));
}
