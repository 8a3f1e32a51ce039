/** The end of a process on a real pseudo-terminal, whose output a person has stopped. */
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { PseudoTerminal } from '../../src/pty/pseudo-terminal.ts';

it('is reported although its output is stopped (Ctrl-S), and nothing is printed any more', async () => {
  const shown: Buffer[] = [];
  const directory = mkdtempSync(join(tmpdir(), 'ape-end-'));
  const wasRead = join(directory, 'read');
  const argv = ['-c', 'stty -ixany; printf ready; read line; : > "$1"; read line', 'sh', wasRead];
  const terminal = new PseudoTerminal({ file: '/bin/sh', argv, environment: {} }, { columns: 80, rows: 24 }, (chunk) =>
    shown.push(chunk),
  );
  terminal.reportExitAtOnce();
  await expect.poll(() => Buffer.concat(shown).toString()).toBe('ready');
  // The kernel handles keys later than their write, in their order: the newline is read after Ctrl-S has stopped the output. By default,
  // node-pty's terminals let each key start the output again (IXANY).
  terminal.write(Buffer.from('\x13\n'), () => undefined);
  await expect.poll(() => existsSync(wasRead)).toBe(true);
  const said = terminal.say('stopped');
  let isSaid = false;
  void said.then(() => {
    isSaid = true;
  });
  await sleep(200);
  expect(isSaid).toBe(false);
  terminal.kill();
  expect(await terminal.finish()).toEqual({ status: 0, signal: 9 });
  await said;
  expect([terminal.device(), await terminal.isInterruptKey()]).toEqual([null, false]);
  expect(Buffer.concat(shown).toString()).toBe('ready');
  rmSync(directory, { recursive: true });
});

it('makes a change of the window size harmless', async () => {
  const before = terminals();
  const program = { file: '/bin/true', argv: [], environment: {} };
  const terminal = new PseudoTerminal(program, { columns: 80, rows: 24 }, () => undefined);
  terminal.reportExitAtOnce();
  await terminal.finish();
  await expect.poll(terminals).toEqual(before);
  expect(() => terminal.resize({ columns: 81, rows: 24 })).not.toThrow();
});

/** Returns the open descriptors of terminals. */
const terminals = () => readdirSync('/proc/self/fd').filter((descriptor) => targetOf(descriptor) === '/dev/ptmx');

function targetOf(descriptor: string): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return null;
  }
}
