/**
 * The files of a project that Gemini CLI reads. Sources: class Storage and findEnvFile in the bundle of 0.61.0, and the configuration
 * reference. Gemini CLI loads only the first `.env` that it finds. Each `.env` can be the first, so each `.env` is examined.
 */
import type { BashByPath } from '../bash-by-path.ts';
import { rowsOf } from '../bash-by-path-places.ts';
import { harmless, type ProjectPlaces } from '../project-places.ts';

export const geminiPlaces = (harness: BashByPath): ProjectPlaces => ({
  folders: ['.gemini', '.agents'],
  rows: [
    ...rowsOf(harness),
    // Gemini Code Assist reads these two files on GitHub. Gemini CLI does not read these files.
    harmless('.gemini/config.yaml', '.gemini/styleguide.md'),
  ],
});
