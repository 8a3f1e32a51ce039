/** The lines that a harness calls for us, for the installation they are installed from. */
import { join } from 'node:path';
import {
  guardLine,
  type InstallationWords,
  installationOfEveryUser,
  installationWords,
  reportLine,
} from '../core/own-call.ts';
import type { HookPlaces } from './hook-file.ts';

export function wordsOf(places: Pick<HookPlaces, 'scope' | 'environment'>): InstallationWords {
  const variable = (name: string): string | undefined => places.environment.get(name)?.toString('utf8');
  return places.scope === 'managed' ? installationOfEveryUser(variable) : installationWords(variable);
}

export const guardLineFor = (places: HookPlaces, harness: string): string =>
  guardLine(join(places.dist, 'bin/hook-guard'), harness, wordsOf(places));

export const reportLineFor = (places: HookPlaces, harness: string): string =>
  reportLine(join(places.dist, 'bin/apes'), harness, wordsOf(places));
