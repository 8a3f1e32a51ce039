/**
 * The files of a project that Gemini CLI reads (the bundle of 0.61.0: class Storage, findEnvFile, and its reference of the configuration). The
 * first `.env` in the project or above it counts, so all of them are examined.
 */
import type { BashByPath } from '../bash-by-path.ts';
import { rowsOf } from '../bash-by-path-places.ts';
import { harmless, type ProjectPlaces } from '../project-places.ts';

export const geminiPlaces = (harness: BashByPath): ProjectPlaces => ({
  folders: ['.gemini', '.agents'],
  rows: [
    ...rowsOf(harness),
    // Gemini Code Assist reads these two on GitHub; the CLI does not.
    harmless('.gemini/config.yaml', '.gemini/styleguide.md'),
  ],
});
