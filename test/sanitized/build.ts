/**
 * Before the suite `sanitized`: the build with sanitizers. After it: no program of ours has left a report. A test need not look at a
 * program's status for that, and a program that nothing waits for is seen too.
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
