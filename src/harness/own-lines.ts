/** Makes the lines that a harness runs for us. Each line names the installation that wrote it. */
import { join } from 'node:path';
import {
  guardLine,
  type InstallationWords,
  installationOfEveryUser,
  installationWords,
  reportLine,
  timedGuardLine,
} from '../core/grant/own-call.ts';
import type { HookPlaces } from './hook-file.ts';

/** Returns the words that name the installation in a line. With the scope `managed`, all users run the line. */
export function installationWordsFor(places: Pick<HookPlaces, 'scope' | 'environment'>): InstallationWords {
  const variable = (name: string): string | undefined => places.environment.get(name)?.toString('utf8');
  return places.scope === 'managed' ? installationOfEveryUser(variable) : installationWords(variable);
}

/**
 * Harnesses that run the tool without an answer of the hook if the hook takes too long. The line for such a harness runs the guard under
 * `deadline`. So the hook denies in time.
 */
const OPEN_WHEN_LATE: ReadonlySet<string> = new Set(['codex', 'gemini', 'qwen', 'kimi', 'grok']);

/** Returns the shell line that the harness runs before each tool. */
export function guardLineFor(places: HookPlaces, harness: string): string {
  const guard = [join(places.dist, 'bin/hook-guard'), harness, installationWordsFor(places)] as const;
  return OPEN_WHEN_LATE.has(harness)
    ? timedGuardLine(join(places.dist, 'bin/deadline'), ...guard)
    : guardLine(...guard);
}

/** Returns the shell line that the harness runs for an event that the hook only reports. */
export const reportLineFor = (places: HookPlaces, harness: string): string =>
  reportLine(join(places.dist, 'bin/apes'), harness, installationWordsFor(places));
