/**
 * A project can set variables for the harness that works on it. So each of our commands that a harness calls names its installation
 * in its arguments, and no variable can select another installation. Each installation in this test has a different wrong setting.
 * The error message for this setting shows which installation was used.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  gatedCall,
  guardLine,
  type InstallationWords,
  installationWords,
  reportLine,
} from '../../src/core/grant/own-call.ts';
import { DIST } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';

const SHELL = join(DIST, 'bin/ape-shell');
let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'ape-named-'));
  for (const name of ['own', 'evil']) {
    for (const config of [`${name}/apes`, `${name}/home/.config/ape-shell`, `${name}/config/ape-shell`]) {
      mkdirSync(join(scratch, config), { recursive: true, mode: 0o700 });
      writeFileSync(join(scratch, config, 'config.toml'), `${name} = 1\n`, { mode: 0o600 });
    }
  }
});
afterEach(() => removeInstallation(scratch));

const own = (): Record<string, string> => ({ HOME: join(scratch, 'own/home') });
const wordsOf = (variables: Record<string, string>): InstallationWords => installationWords((name) => variables[name]);

function run(line: string, environment: Record<string, string>, input = '') {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], {
    cwd: scratch,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', APES_RESIDENT: '0', ...environment },
    input,
    encoding: 'utf8',
  });
  return { status, out: stdout, err: stderr };
}

const EVIL: readonly (readonly [string, string])[] = [
  ['APES_HOME', 'evil/apes'],
  ['HOME', 'evil/home'],
  ['XDG_CONFIG_HOME', 'evil/config'],
];

describe.each(EVIL)('%s of a project', (name, place) => {
  const project = () => ({ ...own(), [name]: join(scratch, place) });

  it('selects the installation of a call that names none, which proves that the attack works', () => {
    expect(run(gatedCall(SHELL, [], 'true'), project()).err).toContain('unknown key evil');
  });

  it('does not select the installation of a command', () => {
    const outcome = run(gatedCall(SHELL, wordsOf(own()), 'true'), project());
    expect(outcome).toMatchObject({ status: 78, out: '' });
    expect(outcome.err).toContain('unknown key own');
  });

  it('does not select the installation of a file tool', () => {
    const event = { hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input: { file_path: '/x', content: '' } };
    const outcome = run(
      guardLine(join(DIST, 'bin/hook-guard'), 'claude-code', wordsOf(own())),
      project(),
      JSON.stringify(event),
    );
    expect(outcome.out).toContain('unknown key own');
    expect(outcome.out).toContain('"permissionDecision":"deny"');
  });

  it('is in no gated call that the guard returns', () => {
    const event = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'true' } };
    const outcome = run(
      guardLine(join(DIST, 'bin/hook-guard'), 'claude-code', wordsOf(own())),
      project(),
      JSON.stringify(event),
    );
    expect(JSON.parse(outcome.out).hookSpecificOutput.updatedInput.command).toBe(
      gatedCall(SHELL, wordsOf(own()), 'true'),
    );
  });

  it('is reported for a harness that starts our shell itself, without words that name the installation', () => {
    const guard = join(scratch, 'bin/hook-guard');
    mkdirSync(join(scratch, 'bin'));
    copyFileSync(join(DIST, 'bin/hook-guard'), guard);
    writeFileSync(join(scratch, 'bin/apes'), `#!/bin/sh\necho "$*" >&2\nexit 2\n`, { mode: 0o755 });
    expect(run(guardLine(guard, 'gemini', wordsOf(own())), project()).err).toContain(
      'hooks gate gemini --led-elsewhere',
    );
    expect(run(guardLine(guard, 'gemini', wordsOf(own())), own()).err).toMatch(/^hooks gate gemini\n/);
  });
});

it('an installation that APES_HOME selects is named by its APES_HOME', () => {
  const variables = { ...own(), APES_HOME: join(scratch, 'own/apes') };
  const project = { HOME: join(scratch, 'evil/home'), APES_HOME: join(scratch, 'evil/apes') };
  expect(run(gatedCall(SHELL, wordsOf(variables), 'true'), project).err).toContain('unknown key own');
});

it('calls for every user of a machine use the installation in the home that the user database names', () => {
  const shell = run(gatedCall(SHELL, ['HOME'], 'true'), { HOME: join(scratch, 'evil/home') });
  expect(shell.err).not.toContain('unknown key evil');
  const guard = join(scratch, 'bin/hook-guard');
  mkdirSync(join(scratch, 'bin'));
  copyFileSync(join(DIST, 'bin/hook-guard'), guard);
  writeFileSync(join(scratch, 'bin/apes'), `#!/bin/sh\necho "$HOME" >&2\nexit 2\n`, { mode: 0o755 });
  const { err } = run(guardLine(guard, 'codex', ['HOME']), { HOME: '/evil', APES_HOME: '/evil' });
  expect(err.split('\n')[0]).toBe(userInfo().homedir);
});

it.each(['APES_HOME=relative', 'APES_HOME', 'HOME=', 'PATH=/evil', 'LD_PRELOAD=/evil', 'nothing', ''])(
  'a word that names no installation ends the call: %j',
  (word) => {
    const shell = run(gatedCall(SHELL, [word], 'touch has-run'), own());
    expect(shell).toMatchObject({ status: 78, out: '' });
    const guard = run(guardLine(join(DIST, 'bin/hook-guard'), 'claude-code', [word]), own(), '{}');
    expect(guard).toMatchObject({ status: 2, out: '' });
    expect(guard.err).toContain('names no installation here');
  },
);

it('words that name an installation count only before all other arguments', () => {
  const outcome = run(`'${SHELL}' -c 'true' '--installation=HOME=/x'`, { HOME: join(scratch, 'evil/home') });
  expect(outcome.err).toContain('unknown key evil');
  expect(run(reportLine(join(DIST, 'bin/apes'), 'claude-code', wordsOf(own())), own(), '{}').status).toBe(0);
});
