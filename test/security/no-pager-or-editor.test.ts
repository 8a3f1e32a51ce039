/**
 * `!command` in a pager and `:!command` in an editor start a shell. So a line that a scope covers gets no pager and no editor; a
 * line whose exact bytes were approved may start both.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programPath } from '../fixtures/programs.ts';
import { Keyboard } from '../terminal/keyboard.ts';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
const PROMPT = /U# $/;
const repository = (): string => join(stage.scratch, 'work', 'repo');
const canary = (): string => join(stage.scratch, 'work', 'canary');

beforeAll(async () => {
  await stage.open();
  const made = await stage.run(
    [
      'mkdir -p repo && cd repo && git init -q . && seq 500 > a && git add .',
      'git -c user.name=u -c user.email=u@x commit -qm first && seq 500 1000 > a',
      `echo 'PS1="U# "; bind "set enable-bracketed-paste off"' > ../../home/.bashrc`,
    ].join(' && '),
  );
  expect(made).toMatchObject({ status: 0 });
  const asked = await stage.run(`cd repo && ape-shell -c 'git status'`);
  const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
  expect(await stage.run(`apes grants approve ${id} --term always --as reading`)).toMatchObject({ status: 0 });
});
afterAll(() => stage.close());

/** Sets an editor that makes the file `opened` in `.git/hooks`, from where a covered commit may start programs. The editor is not a hook. */
const withEditor = `printf '#!/bin/sh\\ntouch .git/hooks/opened\\n' > .git/hooks/ed.sample && chmod +x .git/hooks/ed.sample && git config core.editor "$PWD/.git/hooks/ed.sample"`;

const onTerminal = (line: string): string =>
  `cd repo && printf '!touch ${canary()}\\nq' | timeout 100 script -qec "ape-shell -c '${line}'" /dev/null`;

describe('ape-shell -c on a terminal', () => {
  it('has no pager for a line that a scope covers', async () => {
    const ran = await stage.run(onTerminal('git diff'));
    expect(ran.status).toBe(0);
    expect(ran.out).toContain('granted');
    expect(ran.out).toContain('+1000'); // a pager would have stopped at the first screen
    expect(existsSync(canary())).toBe(false);
  });

  it('has no editor for a line that a scope covers', async () => {
    const commit = 'git -c user.name=u -c user.email=u@x commit -q --amend';
    expect(
      await stage.run(`cd repo && git config user.name u && git config user.email u@x && ${withEditor}`),
    ).toMatchObject({ status: 0 });
    const asked = await stage.run(`cd repo && ape-shell -c 'git commit -q --amend'`);
    const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
    expect(await stage.run(`apes grants approve ${id} --term always --as operation`)).toMatchObject({ status: 0 });
    const ran = await stage.run(`cd repo && ape-shell -c 'git commit -q --amend'; echo "status $?"; ls .git/hooks`);
    expect(ran.err).toContain('granted');
    expect(ran.out).toContain('status 0');
    expect(ran.out).not.toContain('opened');
    expect((await stage.run(`cd repo && ${commit} && ls .git/hooks`)).out).toContain('opened'); // proves that the editor makes the file
  });

  it('sets every variable for a pager to none or `cat`, and every variable for an editor to `true`', async () => {
    const asked = await stage.run(`cd repo && ape-shell -c 'tail -f a'`);
    const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
    expect(await stage.run(`apes grants approve ${id} --term always --as reading`)).toMatchObject({ status: 0 });
    const ran = await stage.run(
      [
        `cd repo; ape-shell -c 'tail -f a' > ../tail & tail=$!`,
        'for n in {1..400}; do [ -s ../tail ] && break; sleep 0.05; done',
        `tr '\\0' '\\n' < /proc/$tail/environ | grep -a 'PAGER\\|BAT_\\|LESSSECURE\\|EDIT\\|VISUAL' | sort; kill $tail`,
      ].join('\n'),
    );
    const cat = 'ACK DELTA DPKG GH GIT GLAB PERLDOC PSQL RI SYSTEMD'.split(' ').map((name) => `${name}_PAGER=cat`);
    const none = 'BUNDLER_ GH_ GIT_ GIT_SEQUENCE_ KUBE_ PSQL_ SUDO_ SYSTEMD_'
      .split(' ')
      .map((name) => `${name}EDITOR=true`);
    expect(ran.out.trim().split('\n').sort()).toEqual(
      [
        ...cat,
        ...none,
        'EDITOR=true',
        'FCEDIT=true',
        'VISUAL=true',
        'AWS_PAGER=',
        'BAT_CONFIG_PATH=/dev/null',
        'BAT_PAGER=',
        'LESSSECURE=1',
        'MANPAGER=cat',
        'PAGER=cat',
      ].sort(),
    );
  });

  it('has a pager for a line whose exact bytes were approved, which proves that the attack works', async () => {
    const asked = await stage.run(`cd repo && script -qec "ape-shell -c 'git diff; mkdir -p made'" /dev/null`);
    const id = /g_[a-z2-7]{26}/.exec(asked.out)?.[0] ?? '';
    expect(await stage.run(`apes grants approve ${id}`)).toMatchObject({ status: 0 });
    await stage.run(onTerminal('git diff; mkdir -p made'));
    expect(existsSync(canary())).toBe(true);
  });
});

describe('the interactive shell', () => {
  it('has no pager and no editor for a line that a scope covers, and restores the variables afterwards', async () => {
    const shell = new Keyboard({
      argv: [programPath('ape-shell')],
      cwd: repository(),
      environment: {
        HOME: `${stage.scratch}/home`,
        APES_HOME: stage.apesHome,
        PATH: (await stage.run('echo $PATH')).out.trim(),
        TERM: 'xterm',
      },
    });
    await shell.see(PROMPT);
    const approve = async (line: string, ...more: string[]): Promise<void> => {
      shell.type(`${line}\r`);
      const id = (await shell.see(/g_[a-z2-7]{26}/))[0];
      expect(await stage.run(`apes grants approve ${id} ${more.join(' ')}`)).toMatchObject({ status: 0 });
      await shell.see(PROMPT);
    };
    await approve('git status', '--term always --as reading');
    shell.type('git diff\r');
    await shell.see(/1000\S*\r\nU# $/);
    await approve(`env | grep -c 'PAGER\\|EDITOR'; declare -p GIT_PAGER LESSSECURE; mkdir -p made`);
    expect(shell.printed).toMatch(/\n0\r\n[^\n]*GIT_PAGER: not found\r\n[^\n]*LESSSECURE: not found/);
    await approve('readonly PAGER=cat; mkdir -p made');
    shell.type('git diff\r');
    await shell.see(/PAGER cannot be set here[\s\S]*U# $|Waiting for approval/);
    shell.type(':stauts\r');
    await shell.see(/there is no :stauts; :help/);
    shell.type(Buffer.from('\u0003\u0004'));
  });
});
