/** Reads the reports of the sanitizers in our C programs (test/fixtures/sanitizer-options.c sets their directory). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SANITIZED_DIST } from '../fixtures/programs.ts';

export const REPORTS = join(SANITIZED_DIST, '../reports');

/** The text of each report, oldest process first. */
export function readReports(): readonly string[] {
  return readdirSync(REPORTS).map((name) => readFileSync(join(REPORTS, name), 'utf8'));
}
