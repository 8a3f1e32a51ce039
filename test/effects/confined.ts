/** Makes the profile for a confined run of a call, and finds what the call did although the profile forbids it. */
import { replaceAbsentPlaces } from '../../src/core/confinement/absent-places.ts';
import { baseEntriesFor } from '../../src/core/confinement/base-profile.ts';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { encodeProfile } from '../../src/core/confinement/profile.ts';
import { kindOfPlace } from '../../src/platform/confinement.ts';
import { accessesOf, describe, isOnMachine, type TracedAccess } from './compare.ts';
import type { Stage } from './stage.ts';
import type { Happening } from './tracer.ts';

const SHELL = '/usr/bin/bash';

/** The confinement that a host applies when the line starts, after it has looked which paths exist. */
export const settled = (held: Confinement): Confinement => replaceAbsentPlaces(held, kindOfPlace);

/** Makes the profile as a host does, for the stage's home. Throws if there is no profile for the confinement; a server must not offer such a one. */
export function profileOf(held: Confinement, stage: Stage): Uint8Array {
  const base = [...baseEntriesFor(held.tools, stage.home), ['execute', SHELL] as const];
  const text = encodeProfile(held, base);
  if (!text.ok) throw new Error(text.failure.message);
  return Buffer.from(text.value);
}

const isIn = (place: string, path: string): boolean => place === '/' || path === place || path.startsWith(`${place}/`);

/** Returns the accesses that succeeded although neither the confinement nor the base profile allows them. */
export function escapesOf(held: Confinement, happening: Happening, stage: Stage): readonly string[] {
  const base = baseEntriesFor(held.tools, stage.home);
  const devices = base.flatMap(([kind, path]) => (kind === 'device' ? [path] : []));
  const starts = [...held.execute, SHELL, ...base.flatMap(([kind, path]) => (kind === 'execute' ? [path] : []))];
  // The kernel lets a call open its own standard input once more, as /dev/stdin.
  const reads = [...held.read, ...held.write, ...starts, ...base.map(([, path]) => path), stage.input];
  const writes = [...held.write, ...devices];
  const mayBe = ({ what, path }: TracedAccess): boolean => {
    const has = (places: readonly string[]): boolean => places.some((place) => isIn(place, path));
    if (what === 'read') return has(reads);
    if (what === 'execute') return has(starts);
    if (what === 'connect' || what === 'send') return mayConnect(held, path);
    // With all ports, a call may also listen (`c *` in bin/confinement.h). With some, it may bind only port 0, the own end of a connection.
    if (what === 'bind')
      return path.startsWith('inet ') && (held.connect === 'any' || (held.connect.length > 0 && path.endsWith(' 0')));
    // kill(2) to -1 succeeds when it reaches one process. It reaches only the caller's own processes; security tests check that.
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
