/** The lines that a harness calls for us, for the programs of the installation they are installed from. */
import { join } from 'node:path';
import { guardLine, reportLine } from '../core/own-call.ts';
import type { HookPlaces } from './hook-file.ts';

export const guardLineFor = (places: HookPlaces, harness: string): string =>
  guardLine(join(places.dist, 'bin/hook-guard'), harness);

export const reportLineFor = (places: HookPlaces, harness: string): string =>
  reportLine(join(places.dist, 'bin/apes'), harness);
