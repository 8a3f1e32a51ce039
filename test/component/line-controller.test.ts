/** Lines of one bash that follow each other while the check of the first line is still running. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import type { LineAnswer } from '../../src/pty/channel-frames.ts';
import { LineController } from '../../src/shell/interactive/line-controller.ts';
import type { LineVerdict } from '../../src/shell/line-verdict.ts';

let directory: string;
let answers: { token: string; answer: LineAnswer }[];
let decided: string[];
let said: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-lines-'));
  [answers, decided, said] = [[], [], []];
});
afterEach(() => removeDirectory(directory));

/** Waits until the controller has the end and the output of the check that takes these seconds. */
async function checkEnded(seconds: string): Promise<void> {
  await vi.waitFor(() => expect(hasEnded(Number(readFileSync(join(directory, seconds), 'utf8')))).toBe(true), 10_000);
  await promisify(execFile)('true'); // its end is a later event than the end of the check
}

/** Node has read the status of a process that has no entry any more. */
function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

/** Returns a controller whose `bash -n` takes the time that the line names, and ends with this status. */
function controllerOf(status: number, verdict: (text: string) => LineVerdict = run): LineController {
  const bash = join(directory, 'bash');
  writeFileSync(
    bash,
    `#!/bin/bash\nread -r _ seconds _; echo $$ >"${directory}/$seconds"; sleep "$seconds"; echo "bash: line 1: odd" >&2; exit ${status}\n`,
  );
  chmodSync(bash, 0o755);
  const gate = {
    decide: async ({ text }: { text: string }) => {
      decided.push(text);
      return verdict(text);
    },
    finished: () => undefined,
  };
  return new LineController(gate, {
    bash,
    name: 'bash',
    say: async (text) => void said.push(text),
    answer: (token, answer) => answers.push({ token, answer }),
    reset: () => undefined,
    pid: () => process.pid,
  });
}

const run = (text: string): LineVerdict => ({ kind: 'run', text, profile: null });

const line = (token: string, text: string) =>
  ({ kind: 'line', token, text: Buffer.from(text), cwd: Buffer.from('/'), entries: [] }) as const;
const kindsOf = (token: string) => answers.filter((each) => each.token === token).map(({ answer }) => answer.kind);

it("a line that was withdrawn does not take the next line's answer of bash", async () => {
  const controller = controllerOf(0);
  controller.take(line('one', 'echo 0.5 "'));
  controller.take({ kind: 'prompt', status: 130, turn: '' });
  controller.take(line('two', 'echo 0 "'));
  await vi.waitFor(() => expect(kindsOf('two')).toEqual(['question']), { timeout: 5_000 });
  await checkEnded('0.5');
  expect(kindsOf('one')).toEqual([]);
  controller.take({ kind: 'meanings', token: 'one', entries: [] });
  controller.take({ kind: 'meanings', token: 'two', entries: [] });
  await vi.waitFor(() => expect(kindsOf('two')).toEqual(['question', 'run']), { timeout: 5_000 });
  expect([decided, kindsOf('one')]).toEqual([['echo 0 "'], []]);
});

it('a line that was withdrawn prints no message about its syntax', async () => {
  const controller = controllerOf(2);
  controller.take(line('one', 'echo 0.3 "'));
  controller.take({ kind: 'prompt', status: 130, turn: '' });
  await checkEnded('0.3');
  expect([said, answers]).toEqual([[], []]);
});

it.each([
  ['a refusal', { kind: 'refused', message: 'no', status: 77 }],
  ['the answer to a control command', { kind: 'answered', output: 'text\n', status: 0 }],
] as const)('%s is not printed if the report of the next prompt has arrived already', async (_what, verdict) => {
  const controller = controllerOf(0, () => {
    setImmediate(() => controller.take({ kind: 'prompt', status: 130, turn: '' }));
    return verdict;
  });
  controller.take(line('one', 'true'));
  await vi.waitFor(() => expect(decided).toEqual(['true']));
  await setTimeout(100);
  expect([said, answers]).toEqual([[], []]);
  controller.take(line('two', 'echo 0 "'));
  await vi.waitFor(() => expect(kindsOf('two')).toEqual(['question']), { timeout: 5_000 });
});
