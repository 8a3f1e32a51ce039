/** `apes hooks certify`, and the report of `apes hooks check` about versions, with programs in PATH that have the names of agents. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { findHarness } from '../../src/harness/harnesses.ts';
import { programPath } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';

const APES = programPath('apes');
const PAST_ITS_HOOKS = new URL('../fixtures/agents/past-its-hooks.mjs', import.meta.url).pathname;
const IGNORES_REPLACED = new URL('../fixtures/agents/ignores-replaced.mjs', import.meta.url).pathname;
const SECONDS_180 = 180_000;

let home: string;
let env: Record<string, string>;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ape-hooks-certify-'));
  for (const name of ['bin', 'project', 'tmp']) mkdirSync(join(home, name));
  const path = `${join(home, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin`;
  env = { HOME: home, APES_HOME: join(home, 'apes'), PATH: path, LC_ALL: 'C.UTF-8', TMPDIR: join(home, 'tmp') };
});
afterEach(() => {
  apes('down');
  removeInstallation(home);
});

function apes(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(APES, args, {
    cwd: join(home, 'project'),
    env,
    encoding: 'utf8',
    timeout: SECONDS_180,
  });
  return { status, out: stdout, err: stderr };
}

/** Installs a program that prints its version and can do nothing else. */
const claude = (version: string): void =>
  writeFileSync(
    join(home, 'bin/claude'),
    `#!/bin/sh\n[ "$1" = --version ] && echo '${version} (Claude Code)' && exit\nexit 9\n`,
    {
      mode: 0o755,
    },
  );

interface Row {
  readonly name: string;
  readonly state: string;
  readonly result: string;
}
const rowsOf = (out: string): readonly Row[] => (JSON.parse(out) as { data: { rows: Row[] } }).data.rows;
const cellsOf = (out: string): Record<string, { outcome: string; text: string }> =>
  (JSON.parse(out) as { data: { harnesses: { cells: Record<string, { outcome: string; text: string }> }[] } }).data
    .harnesses[0]?.cells ?? {};

describe('certify', () => {
  it('finds that an agent calls no hook, writes a signed report, and leaves no files', () => {
    symlinkSync(PAST_ITS_HOOKS, join(home, 'bin/claude'));
    apes('up', '--port', '0', '--json');
    const certified = apes(
      ...['hooks', 'certify', 'claude-code', '--case', 'pending,no-guard,killed', '--json'],
      ...['--report', join(home, 'report.json')],
    );
    expect(certified.status).toBe(77);
    const cells = cellsOf(certified.out);
    expect(cells['pending']).toMatchObject({ outcome: 'open' });
    expect(cells['no-guard']).toMatchObject({ outcome: 'open' });
    expect(cells['killed']).toMatchObject({ outcome: 'open', text: 'GATE KILLED, AND THE COMMAND RAN' });
    expect(readdirSync(join(home, 'tmp')).filter((name) => name.startsWith('ape-certify-'))).toEqual([]);
    expect(readdirSync(home).sort()).toEqual(['apes', 'bin', 'project', 'report.json', 'tmp']);

    expect(apes('hooks', 'certify', '--verify', join(home, 'report.json'))).toMatchObject({ status: 0 });
    const report = JSON.parse(readFileSync(join(home, 'report.json'), 'utf8')) as { payload: string };
    const better = Buffer.from(report.payload, 'base64url').toString().replaceAll('"open"', '"holds"');
    const altered = { ...report, payload: Buffer.from(better).toString('base64url') };
    writeFileSync(join(home, 'altered.json'), JSON.stringify(altered));
    const refused = apes('hooks', 'certify', '--verify', join(home, 'altered.json'));
    expect(refused).toMatchObject({ status: 76, out: '' });
    expect(refused.err).toContain('its signature does not match its content');
    const other = apes('hooks', 'certify', '--verify', join(home, 'report.json'), '--key', 'A'.repeat(43));
    expect(other.status).toBe(77);
    expect(other.err).toContain('the signature is valid, but it is by');
  });

  it('names a directory of the report that cannot be looked at, in one line', () => {
    symlinkSync('loop', join(home, 'loop'));
    apes('up', '--port', '0', '--json');
    const { status, err } = apes('hooks', 'certify', '--report', join(home, 'loop/report.json'));
    expect({ status, err }).toEqual({
      status: 64,
      err: `apes: cannot look at the directory ${join(home, 'loop')} (ELOOP)\n`,
    });
    const directory = apes('hooks', 'certify', '--report', home);
    expect(directory).toMatchObject({
      status: 64,
      err: `apes: ${home} is a directory; name a file for the report\n`,
    });
  });

  it('names a damaged key of this host in one line, before it tries any case', () => {
    symlinkSync(PAST_ITS_HOOKS, join(home, 'bin/claude'));
    apes('up', '--port', '0', '--json');
    const key = readdirSync(join(home, 'apes'), { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('requester.key'),
    );
    writeFileSync(join(home, 'apes', key ?? ''), 'x');
    const { status, err } = apes('hooks', 'certify', '--report', join(home, 'report.json'));
    expect({ status, err }).toEqual({
      status: 78,
      err: `apes: ${join(home, 'apes', key ?? '')} is damaged; enrol again: apes up, or apes login URL\n`,
    });
  });

  it('finds an agent without hooks open in every case', () => {
    symlinkSync(PAST_ITS_HOOKS, join(home, 'bin/claude'));
    const names = [
      'denied',
      'slow',
      'no-exec',
      'garbage',
      'hangs',
      'project',
      'parallel',
      'background',
      'subagent',
      'files',
    ];
    const certified = apes('hooks', 'certify', 'claude-code', '--case', names.join(','), '--json');
    const outcomes = Object.entries(cellsOf(certified.out)).map(([name, { outcome }]) => [name, outcome]);
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(names.map((name) => [name, 'open'])));
    expect(certified.status).toBe(77);
  });

  it('reports an agent that does not start as not seen, and fails', () => {
    claude('2.1.330');
    const certified = apes('hooks', 'certify', 'claude-code', '--case', 'denied', '--json');
    expect(certified.status).toBe(77);
    expect(cellsOf(certified.out)['denied']).toMatchObject({ outcome: 'not seen' });
  });

  /** Starts a run that hangs in a case. Returns its process and its directory. */
  async function started() {
    writeFileSync(
      join(home, 'bin/claude'),
      `#!/bin/sh\n[ "$1" = --version ] && echo '2.1.330' && exit\necho "$HOME" > ${home}/started\nexec sleep 1000\n`,
      { mode: 0o755 },
    );
    const child = spawn(APES, ['hooks', 'certify', 'claude-code', '--case', 'denied'], {
      cwd: join(home, 'project'),
      env,
      stdio: 'ignore',
    });
    while (!existsSync(join(home, 'started')) || readFileSync(join(home, 'started'), 'utf8') === '') await sleep(50);
    return { child, place: dirname(dirname(readFileSync(join(home, 'started'), 'utf8').trim())) };
  }

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends all that it started on %s', async (signal) => {
    const { child, place } = await started();
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([null, signal]);
    expect(existsSync(place)).toBe(false);
    expect(processesWith(place)).toEqual([]);
  });

  it('removes what a killed run left, and nothing of a run that still goes on', async () => {
    const { child, place } = await started();
    const { pid } = JSON.parse(readFileSync(join(place, 'run.json'), 'utf8')) as { pid: number };
    claude('2.1.330');
    expect(apes('hooks', 'certify', 'claude-code', '--case', 'denied').err).not.toContain(place);
    expect(processesWith(place).length).toBeGreaterThan(0);
    process.kill(pid, 'SIGKILL');
    await once(child, 'exit');
    expect(existsSync(place)).toBe(true);
    expect(processesWith(place).length).toBeGreaterThan(0);
    const next = apes('hooks', 'certify', 'claude-code', '--case', 'denied');
    expect(next.err).toMatch(new RegExp(`removed what a killed run has left: ${place}, [1-9]`));
    expect(existsSync(place)).toBe(false);
    expect(processesWith(place)).toEqual([]);
  });

  it.each([
    [['emacs'], 64, 'there is no harness emacs'],
    [['--case', 'nothing'], 64, 'there is no case nothing'],
    [['--agents', '/nowhere'], 64, 'there is no directory /nowhere'],
    [['--jobs', '0'], 64, '--jobs is 0'],
    [['--key', 'x'], 64, '--key belongs to --verify'],
    [['--verify', '/nowhere'], 64, '/nowhere is not there'],
    [['--verify', '/nowhere', '--agents', '/'], 64, '--verify only reads a report'],
    [['--verify', '/dev/zero'], 64, '/dev/zero lies under /proc, /sys or /dev'],
    [['--report', 'report.json'], 78, 'this host is not enrolled'],
    [[], 78, 'no agent was found in PATH'],
  ])('%j is one clear line', (words, status, text) => {
    const outcome = apes('hooks', 'certify', ...words);
    expect(outcome).toMatchObject({ status, out: '' });
    expect(outcome.err).toContain(text);
    expect(outcome.err.trim().split('\n')).toHaveLength(1);
  });
});

/** Returns the command lines of the processes whose environment or arguments contain a path. Linux only. */
const processesWith = (place: string): readonly string[] =>
  readdirSync('/proc').flatMap((name) => {
    try {
      const texts = ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${name}/${file}`, 'utf8'));
      return texts.some((text) => text.includes(place)) ? [texts.at(-1) ?? ''] : [];
    } catch {
      return [];
    }
  });

describe('a version', () => {
  it('that is too old is refused, and nothing is written', () => {
    const lowest = findHarness('claude-code')?.lowest;
    expect(lowest).toMatch(/^\d+\.\d+\.\d+$/);
    claude('2.0.5');
    const refused = apes('hooks', 'install', 'claude-code');
    expect(refused).toMatchObject({ status: 78, out: '' });
    expect(refused.err).toContain(
      `the gate does not hold in Claude Code 2.0.5: the lowest version in which it was seen to hold is ${lowest}`,
    );
    expect(existsSync(join(home, '.claude'))).toBe(false);
  });

  it('that was never tried is reported as not seen, also after a trial without a result', () => {
    claude('99.1.0');
    apes('hooks', 'install', 'claude-code');
    const checked = apes('hooks', 'check', 'claude-code', '--json');
    expect(checked.status).toBe(78);
    expect(rowsOf(checked.out).filter(({ state }) => state !== 'holds')).toEqual([
      expect.objectContaining({
        name: 'the version',
        state: 'not seen',
        result: '99.1.0: not checked yet, so it is not known whether its gate holds',
      }),
    ]);
    expect(apes('health').out).toContain(
      'claude-code 99.1.0: not checked yet, so it is not known whether its gate holds',
    );
    const live = rowsOf(apes('hooks', 'check', 'claude-code', '--live', '--json').out);
    const tried = live.filter(({ name }) => name.startsWith('live: '));
    expect(tried.length).toBeGreaterThanOrEqual(5);
    expect(new Set(tried.map(({ state }) => state))).toEqual(new Set(['not seen']));
    expect(apes('hooks', 'check', 'claude-code').status).toBe(78);
  });

  it('counts as one that holds only with the entries with which it was tried', () => {
    claude('99.1.0');
    apes('hooks', 'install', 'claude-code');
    apes('hooks', 'check', 'claude-code');
    const file = join(home, 'apes/state/hooks-held/claude-code-user.json');
    const known = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    const wrong = { version: '99.1.0', digest: '0'.repeat(64), at: '2026-01-02' };
    writeFileSync(file, JSON.stringify({ ...known, held: wrong }));
    expect(apes('hooks', 'check', 'claude-code').out).toContain('99.1.0: NEVER SEEN');
  });
});

describe('check --live', () => {
  const live = () => {
    const checked = apes('hooks', 'check', 'claude-code', '--live', '--json');
    const rows = rowsOf(checked.out);
    return { ...checked, rows, tried: rows.filter(({ name }) => name.startsWith('live: ')) };
  };

  it('ends with 78 for an agent that calls no hook, in a version that was seen to hold, and names each failure', () => {
    symlinkSync(PAST_ITS_HOOKS, join(home, 'bin/claude'));
    apes('hooks', 'install', 'claude-code');
    expect(apes('hooks', 'check', 'claude-code').status).toBe(0);
    const { status, tried } = live();
    expect(status).toBe(78);
    for (const what of [
      'makes the one call that waits',
      'is killed (SIGKILL) while it asks',
      'the guard is missing',
      'garbage',
    ])
      expect(
        tried.find(({ name }) => name.includes(what)),
        what,
      ).toMatchObject({ state: 'open' });
    expect(tried.map(({ result }) => result)).toContain('open: GATE KILLED, AND THE COMMAND RAN');
    const next = apes('hooks', 'check', 'claude-code', '--json');
    expect(next.status).toBe(78);
    expect(rowsOf(next.out).find(({ name }) => name === 'the version')).toMatchObject({ state: 'open' });
    expect(apes('health').out).toContain('the gate did not hold when it was last tried');
  });

  it('does not record that a version holds if it obeys denials, but runs the command that the hook has replaced', () => {
    symlinkSync(IGNORES_REPLACED, join(home, 'bin/claude'));
    apes('hooks', 'install', 'claude-code');
    const { status, err, tried } = live();
    expect(status).toBe(78);
    expect(err + JSON.stringify(tried)).toContain('NOT DECIDED, AND THE COMMAND RAN');
    expect(tried.find(({ name }) => name.includes('makes the one call that waits'))).toMatchObject({ state: 'open' });
    expect(tried.find(({ name }) => name.includes('the guard is missing'))).toMatchObject({ state: 'holds' });
    const known = readFileSync(join(home, 'apes/state/hooks-held/claude-code-user.json'), 'utf8');
    expect(JSON.parse(known)).toMatchObject({ held: null, open: { version: '99.1.0' }, standing: 'does not hold' });
    expect(apes('hooks', 'check', 'claude-code').out).toContain('99.1.0, whose gate DID NOT HOLD here');
  });

  it('reports altered settings', () => {
    symlinkSync(IGNORES_REPLACED, join(home, 'bin/claude'));
    apes('hooks', 'install', 'claude-code');
    const file = join(home, '.claude/settings.json');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('exit 2', 'exit 0'));
    const { status, rows } = live();
    expect(status).toBe(78);
    expect(rows.find(({ name }) => name.startsWith('installed in'))).toEqual(
      expect.objectContaining({ name: `installed in ${file}`, state: 'open', result: 'NO: removed or altered' }),
    );
  });
});

it('check and health report our entry as altered if it is only for other tools', () => {
  claude('2.1.330');
  apes('hooks', 'install', 'claude-code');
  const file = join(home, '.claude/settings.json');
  const settings = JSON.parse(readFileSync(file, 'utf8')) as {
    hooks: Record<string, { matcher?: string }[]>;
    model?: string;
  };
  settings.model = 'opus';
  writeFileSync(file, JSON.stringify(settings));
  expect(rowsOf(apes('hooks', 'check', 'claude-code', '--json').out)[0]).toMatchObject({ state: 'holds' });
  expect(apes('health').out).toContain('other text was changed in');
  for (const group of settings.hooks['PreToolUse'] ?? []) group.matcher = 'NoSuchTool';
  writeFileSync(file, JSON.stringify(settings));
  const checked = apes('hooks', 'check', 'claude-code', '--json');
  expect(checked.status).toBe(78);
  expect(rowsOf(checked.out)[0]).toMatchObject({ state: 'open', result: 'NO: removed or altered' });
  expect(apes('health').out).toContain('FAIL  hooks         our entries are gone or altered in');
});

it('health no longer reports settings that were deleted, after a removal or if their project was deleted too', () => {
  claude('2.1.330');
  const gone = 'FAIL  hooks         our entries are gone or altered in';
  const none = 'ok    hooks         none';
  apes('hooks', 'install', 'claude-code');
  removeDirectory(join(home, '.claude'));
  expect(apes('health').out).toContain(gone);
  apes('hooks', 'remove', 'claude-code');
  expect(apes('health').out).toContain(none);
  apes('hooks', 'install', 'claude-code', '--project');
  removeDirectory(join(home, 'project/.claude'));
  expect(apes('health').out).toContain(gone);
  removeDirectory(join(home, 'project'));
  expect(spawnSync(APES, ['health'], { cwd: home, env, encoding: 'utf8', timeout: SECONDS_180 }).stdout).toContain(
    none,
  );
  mkdirSync(join(home, 'project'));
});

it('health finds our entries in a file that a link of the harness leads to', () => {
  claude('2.1.330');
  mkdirSync(join(home, '.claude'));
  const real = join(home, 'dotfiles.json');
  writeFileSync(real, '{}');
  symlinkSync(real, join(home, '.claude/settings.json'));
  apes('hooks', 'install', 'claude-code');
  writeFileSync(real, JSON.stringify({ ...JSON.parse(readFileSync(real, 'utf8')), model: 'opus' }));
  expect(apes('health').out).toContain(`other text was changed in ${real}`);
});
