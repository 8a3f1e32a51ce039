/**
 * Before the suite `sanitized`: makes the build with sanitizers. After it: checks that no program of ours has written a report. So
 * tests need not check the status of each program, and programs for which no test waits are checked too.
 */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { SANITIZED_DIST } from '../fixtures/programs.ts';
import { buildIfOlder } from '../fresh-build.ts';
import { REPORTS, readReports } from './reports.ts';

export default function setUp(): () => void {
  rmSync(REPORTS, { recursive: true, force: true });
  mkdirSync(REPORTS, { recursive: true });
  chmodSync(REPORTS, 0o1777); // programs of another user report too
  buildIfOlder(SANITIZED_DIST, ['--sanitized']);
  return failOnReports;
}

function failOnReports(): void {
  const reports = readReports();
  if (reports.length > 0) throw new Error(`the sanitizers found faults in our C programs:\n${reports.join('\n')}`);
}
