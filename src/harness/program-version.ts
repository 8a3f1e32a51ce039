/** Finds out which version of a harness is installed, from the output of its program. */
import { execFile } from 'node:child_process';
import { resolveProgram } from '../platform/own-program.ts';
import type { SupportedHarness } from './harnesses.ts';

const ANSWER_MS = 30_000;
const VERSION = /\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?/;

/**
 * @property file    the real path of the program
 * @property version null if the program cannot be run, or prints no version within 30 seconds
 */
export interface InstalledProgram {
  readonly file: string;
  readonly version: string | null;
}

/**
 * Finds the harness's program in PATH, and runs it with `--version`. Returns null if the program is not in PATH, or if no program of this
 * harness is known.
 */
export async function findHarnessProgram(
  harness: SupportedHarness,
  environment: Readonly<Record<string, string>>,
): Promise<InstalledProgram | null> {
  const file = harness.program === null ? null : resolveProgram(harness.program, environment['PATH'] ?? '', '/');
  return file === null ? null : { file, version: await printedVersion(file, environment) };
}

function printedVersion(file: string, environment: Readonly<Record<string, string>>): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(file, ['--version'], { timeout: ANSWER_MS, killSignal: 'SIGKILL', env: { ...environment } }, (_, output) =>
      resolve(VERSION.exec(output)?.[0] ?? null),
    );
  });
}
