/**
 * Keeps each hold in a file. If the host agent ends, the held processes stay stopped. The next host agent reads the file and takes over the
 * hold. A hold has a target: the id of a session (`s_…`) or of a grant (`g_…`).
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory, readPrivateFile, writePrivateFile } from '../../platform/private-files.ts';
import { ProcessHold } from './process-hold.ts';
import type { KnownProcess } from './processes.ts';

const TARGET = /^[gs]_[A-Za-z0-9_-]{1,62}$/;

const holdDirectory = (runDirectory: string): string => join(runDirectory, 'holds');
const fileOf = (runDirectory: string, target: string): string => join(holdDirectory(runDirectory), target);

/** Writes the file of a hold. Without the file, the next host agent does not know the hold, and the held processes stay stopped. */
export function keepHold(runDirectory: string, target: string, hold: ProcessHold): void {
  if (ensurePrivateDirectory(holdDirectory(runDirectory)) !== null) return;
  const kept = { sinceMs: hold.sinceMs, members: hold.members };
  writePrivateFile(fileOf(runDirectory, target), JSON.stringify(kept));
}

export const forgetHold = (runDirectory: string, target: string): void =>
  rmSync(fileOf(runDirectory, target), { force: true });

/** Returns the start time (Unix ms) of the hold that `keptHold` returns; null: `keptHold` returns null. */
export function heldSince(runDirectory: string, target: string): number | null {
  return keptHold(runDirectory, target)?.sinceMs ?? null;
}

/** Returns the hold of the target, even if all held processes have ended. Returns null if the file is missing, faulty or unreadable. */
export function keptHold(runDirectory: string, target: string): ProcessHold | null {
  const hold = readHold(runDirectory, target);
  return hold === 'unreadable' ? null : hold;
}

/**
 * Returns all holds, by target. Removes the file of a hold if the file is faulty, or if all held processes have ended. A file that cannot
 * be read at the moment stays.
 */
export function keptHolds(runDirectory: string): Map<string, ProcessHold> {
  const holds = new Map<string, ProcessHold>();
  for (const target of targetsIn(holdDirectory(runDirectory))) {
    const hold = readHold(runDirectory, target);
    if (hold === 'unreadable') continue;
    if (hold?.isAlive === true) holds.set(target, hold);
    else forgetHold(runDirectory, target);
  }
  return holds;
}

function targetsIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => TARGET.test(name));
  } catch {
    return [];
  }
}

/** Returns null if the file is faulty or missing, or if `target` is malformed. */
function readHold(runDirectory: string, target: string): ProcessHold | null | 'unreadable' {
  if (!TARGET.test(target)) return null;
  const text = readPrivateFile(fileOf(runDirectory, target));
  if (!text.ok) return 'unreadable';
  if (text.value === null) return null;
  try {
    const { sinceMs, members } = JSON.parse(text.value) as { sinceMs: number; members: KnownProcess[] };
    const isWhole = members.every(
      (member) => Number.isSafeInteger(member.pid) && Number.isSafeInteger(member.startTicks),
    );
    return Number.isSafeInteger(sinceMs) && isWhole ? new ProcessHold(members, sinceMs) : null;
  } catch {
    return null;
  }
}
