/** A command name is looked up as bash looks it up, together with who could change the file that is found. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lookup } from '../../src/core/reading/unwrapping.ts';
import { resolveCommand } from '../../src/gate/facts/resolve-command.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'resolve-')));
const [one, two] = [join(folder, 'one'), join(folder, 'two')];
const program = (path: string, mode = 0o755) => {
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, mode);
};
beforeAll(() => {
  for (const each of [one, two, join(one, 'directory')]) mkdirSync(each);
  program(join(one, 'tool'));
  program(join(two, 'tool'));
  program(join(one, 'dull'), 0o644);
  program(join(two, 'dull'));
  program(join(one, 'never'), 0o644);
  program(join(two, 'directory'));
  symlinkSync('/usr/bin/env', join(one, 'linked'));
  chmodSync(two, 0o777);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const resolve = (name: string, entries: Record<string, string> = {}, lookup: Lookup = 'bash', cwd = folder) =>
  resolveCommand(name, name, lookup, { cwd, entries: new Map(Object.entries({ PATH: `${one}:${two}`, ...entries })) });

describe('a command name', () => {
  test('is the first executable file in PATH, as bash finds it', () => {
    for (const name of ['tool', 'dull', 'directory', 'linked']) {
      const asked = execFileSync('/bin/bash', ['-c', `PATH=${one}:${two}; type -P ${name}`], {
        encoding: 'utf8',
      }).trim();
      expect(resolve(name), name).toMatchObject({ kind: 'file', path: asked, realPath: realpathSync(asked) });
    }
  });

  test('is not found if no such file can run', () => {
    expect(resolve('never')).toEqual({ kind: 'not found', reason: 'is a directory, or is not executable' });
    expect(resolve('nowhere')).toEqual({ kind: 'not found', reason: 'is nowhere in PATH' });
    expect(resolve('./one')).toEqual({ kind: 'not found', reason: 'is a directory, or is not executable' });
    expect(resolve('./none')).toEqual({ kind: 'not found', reason: 'does not exist' });
    expect(resolve('')).toMatchObject({ kind: 'not found' });
  });

  test('with a slash is that file, seen from the working directory', () => {
    expect(resolve('one/tool')).toMatchObject({ kind: 'file', path: 'one/tool', realPath: join(one, 'tool') });
    expect(resolve('./tool', {}, 'bash', two)).toMatchObject({ kind: 'file', realPath: join(two, 'tool') });
  });

  test('is an alias, function or hashed file first, but only where the shell looks for one', () => {
    const entries = { 'alias tool': 'rm', 'function echo': 'rm', 'hash dull': join(two, 'tool') };
    expect(resolve('tool', entries)).toEqual({ kind: 'alias', text: 'rm' });
    expect(resolve('tool', entries, 'file')).toMatchObject({ kind: 'file' });
    expect(resolve('echo', entries)).toEqual({ kind: 'function', text: 'rm' });
    expect(resolve('echo', entries, 'builtin or file')).toEqual({ kind: 'builtin' });
    expect(resolve('dull', entries)).toMatchObject({ kind: 'unsure', reason: expect.stringContaining('hash table') });
    expect(resolve('tool', { 'BASH_FUNC_tool%%': '() { rm; }' })).toMatchObject({ kind: 'function' });
    expect(resolve('if')).toEqual({ kind: 'keyword' });
    expect(resolve('echo')).toEqual({ kind: 'builtin' });
    expect(resolve('echo', { 'disabled echo': '1' })).toMatchObject({ kind: 'not found' });
    expect(resolve('tool', {}, 'builtin')).toMatchObject({ kind: 'not found' });
  });

  test('is never certain if PATH depends on the working directory', () => {
    for (const path of [`:${one}`, `.:${one}`, `one:${two}`, `bin:${one}`])
      expect(resolve('tool', { PATH: path }), path).toMatchObject({ kind: 'unsure' });
    expect(resolve('tool', { PATH: `${one}:` })).toMatchObject({ kind: 'file' });
    expect(resolve('nowhere', { PATH: `${one}:` })).toMatchObject({ kind: 'unsure' });
  });

  test('is not certain if every user can make a program in a directory that PATH searches before', () => {
    const reason = `PATH also searches ${two}, in which every user can make a program`;
    expect(resolve('linked', { PATH: `${two}:${one}` })).toEqual({ kind: 'unsure', reason });
    expect(resolve('linked', { PATH: `${one}:${two}` })).toMatchObject({ kind: 'file' });
    expect(resolve('linked', { PATH: `${join(folder, 'none')}:${one}` })).toMatchObject({ kind: 'file' });
  });
});

describe('the places where another user could change the found file', () => {
  const writersOf = (name: string, entries = {}) => {
    const found = resolve(name, entries);
    return found.kind === 'file' ? found.writable.map(({ path, by }) => `${path} ${by}`) : found;
  };

  test('do not include the directory of a system program behind a link, only that of the link', () => {
    const mine = process.getuid?.() === 0 ? [] : [`${one} user`];
    expect(writersOf('linked')).toEqual(expect.arrayContaining(mine));
    expect(writersOf('linked')).not.toEqual(expect.arrayContaining([expect.stringContaining('/usr')]));
  });

  test('include a directory that all users may write', () => {
    expect(writersOf('tool', { PATH: two })).toContain(`${two} others`);
  });

  test('include a file that all users may write, also behind a link in a safe place', () => {
    program(join(folder, 'open'), 0o777);
    symlinkSync(join(folder, 'open'), join(one, 'safe'));
    expect(writersOf('safe')).toContain(`${join(folder, 'open')} others`);
  });

  test('include a link in a directory that all users may write', () => {
    symlinkSync('/usr/bin/env', join(two, 'hop'));
    symlinkSync(join(two, 'hop'), join(one, 'hopping'));
    expect(writersOf('hopping')).toContain(`${two} others`);
  });

  test('include a link in a sticky directory, if the link is not of root', () => {
    const link = join(folder, 'sticky', 'links');
    mkdirSync(join(folder, 'sticky'));
    chmodSync(join(folder, 'sticky'), 0o1777);
    symlinkSync('/usr/bin', link);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      expect(writersOf(join(link, 'env'))).toEqual([]);
      lchownSync(link, 1234, 1234);
    }
    expect(writersOf(join(link, 'env'))).toContain(`${link} ${isRoot ? 'others' : 'user'}`);
  });

  test('are none for a system program that only root can change', () => {
    expect(writersOf('/usr/bin/env')).toEqual([]);
  });
});
