/** An installation of hooks writes all of its files or none, even if other processes write these files too. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { failure } from '../../src/core/failure.ts';
import { success } from '../../src/core/result.ts';
import type { HookFile, HookPlan } from '../../src/harness/hook-file.ts';
import { putAll, recordedFiles, takeAllOut } from '../../src/harness/put-hooks.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ape-put-hooks-'));
  mkdirSync(join(home, 'records'), { mode: 0o700 });
  writeFileSync(join(home, 'one'), 'mine\n', { mode: 0o640 });
});
afterEach(() => removeDirectory(home));

const OURS = 'ours\n';
const fileAt = (path: string, meanwhile: () => void = () => undefined): HookFile => ({
  path,
  apply: (text) => {
    meanwhile();
    return success(`${text ?? ''}${OURS}`);
  },
  strip: (text) => success(text.replaceAll(OURS, '')),
  lines: () => [],
});
const planOf = (...files: readonly HookFile[]): HookPlan => ({ files, shim: null, advice: [] });
const order = () => ({
  records: join(home, 'records'),
  owner: { harness: 'generic', scope: 'user', project: home } as const,
  nowMs: 0,
});
const nothing = (): null => null;

/** Returns every file below home with its mode and text. */
const filesBelowHome = (): readonly string[] =>
  readdirSync(home, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stat = statSync(join(home, name));
      return `${name} ${stat.mode.toString(8)} ${stat.isDirectory() ? '' : readFileSync(join(home, name), 'utf8')}`;
    });

it('an installation restores the first file if the second file cannot be written', () => {
  writeFileSync(join(home, 'no-folder'), '');
  const before = filesBelowHome();
  const put = putAll(planOf(fileAt(join(home, 'one')), fileAt(join(home, 'no-folder/two'))), order(), nothing);
  expect(put).toMatchObject({ ok: false, failure: { code: 'system' } });
  expect(filesBelowHome()).toEqual(before);
});

it('an installation restores everything if a step after the files fails, also with new files and folders', () => {
  const before = filesBelowHome();
  const why = failure('system', 'no shim');
  const put = putAll(planOf(fileAt(join(home, 'one')), fileAt(join(home, 'a/b/two'))), order(), () => why);
  expect(put).toEqual({ ok: false, failure: why });
  expect(filesBelowHome()).toEqual(before);
});

it('an installation never overwrites what another program wrote since the file was read', () => {
  const path = join(home, 'one');
  const put = putAll(planOf(fileAt(path, () => writeFileSync(path, 'theirs\n'))), order(), nothing);
  expect(put).toMatchObject({ ok: false, failure: { message: expect.stringContaining('changed by another program') } });
  expect(readFileSync(path, 'utf8')).toBe('theirs\n');
  expect(readdirSync(home).sort()).toEqual(['one', 'records']);
  expect(readdirSync(join(home, 'records'))).toEqual([]);
});

it('an installation that is undone leaves what another program wrote after it, and says so', () => {
  const path = join(home, 'one');
  const put = putAll(planOf(fileAt(path)), order(), () => {
    writeFileSync(path, 'theirs\n');
    return failure('system', 'no shim');
  });
  expect(put).toMatchObject({ ok: false, failure: { message: `no shim; not put back: ${path} (changed meanwhile)` } });
  expect(readFileSync(path, 'utf8')).toBe('theirs\n');
});

it('an uninstallation puts the entries in again if the second file cannot be changed', () => {
  const [one, two] = [join(home, 'one'), join(home, 'a/two')];
  const plan = planOf(fileAt(two), fileAt(one));
  expect(putAll(plan, order(), nothing)).toMatchObject({ ok: true });
  const before = filesBelowHome();
  const broken: HookFile = {
    ...fileAt(two),
    strip: () => ({ ok: false, failure: failure('configuration', 'broken') }),
  };
  writeFileSync(two, `theirs\n${OURS}`);
  const changed = filesBelowHome();
  expect(takeAllOut(planOf(broken, fileAt(one)), order().records)).toMatchObject({ ok: false });
  expect(filesBelowHome()).toEqual(changed);
  writeFileSync(two, OURS);
  expect(filesBelowHome()).toEqual(before);
  expect(takeAllOut(plan, order().records)).toMatchObject({ ok: true });
  expect(readFileSync(one, 'utf8')).toBe('mine\n');
  expect(readdirSync(home).sort()).toEqual(['one', 'records']);
});

it.each([
  ['was deleted', (path: string) => rmSync(path), 'absent'],
  ['has no entry of ours any more', (path: string) => writeFileSync(path, 'theirs\n'), 'unchanged'],
])('an uninstallation forgets a file that %s', (_what, change, kind) => {
  const path = join(home, 'one');
  const plan = planOf(fileAt(path));
  expect(putAll(plan, order(), nothing)).toMatchObject({ ok: true });
  change(path);
  expect(recordedFiles(order().records)).toHaveLength(1);
  expect(takeAllOut(plan, order().records)).toEqual(success([{ kind, path }]));
  expect(recordedFiles(order().records)).toEqual([]);
});

it('an uninstallation that fails still knows a file that was deleted', () => {
  const [one, two] = [join(home, 'one'), join(home, 'two')];
  const broken: HookFile = {
    ...fileAt(two),
    strip: () => ({ ok: false, failure: failure('configuration', 'broken') }),
  };
  expect(putAll(planOf(broken, fileAt(one)), order(), nothing)).toMatchObject({ ok: true });
  rmSync(one);
  writeFileSync(two, `theirs\n${OURS}`);
  expect(takeAllOut(planOf(broken, fileAt(one)), order().records)).toMatchObject({ ok: false });
  expect(recordedFiles(order().records).map(({ path }) => path)).toContain(one);
});

it('an installation leaves nothing and says in one line what cannot be written, if a folder cannot be made', () => {
  const before = filesBelowHome();
  const put = putAll(planOf(fileAt(join(home, 'one')), fileAt('/proc/self/claude/settings.json')), order(), nothing);
  expect(put).toMatchObject({
    ok: false,
    failure: { message: expect.stringMatching(/^cannot write \/proc\/self\/claude/) },
  });
  expect(filesBelowHome()).toEqual(before);
});

it('without the copy of the original, another installation and a removal keep what the person had in the file', () => {
  const path = join(home, 'one');
  const copies = () => readdirSync(home).filter((name) => name.includes('.before-ape-shell-'));
  const install = (text: string) =>
    putAll(planOf({ ...fileAt(path), apply: (now) => success(`${now ?? ''}${text}`) }), order(), nothing);
  expect(install(OURS)).toMatchObject({ ok: true });
  for (const name of copies()) rmSync(join(home, name));
  expect(install(OURS)).toMatchObject({ ok: true });
  expect(readFileSync(path, 'utf8')).toContain('mine\n');
  for (const name of copies()) rmSync(join(home, name));
  expect(takeAllOut(planOf(fileAt(path)), order().records)).toMatchObject({ ok: true });
  expect(readFileSync(path, 'utf8')).toBe('mine\n');
});

it('a removal that is undone leaves what another program wrote after it, and says so', () => {
  const [one, two] = [join(home, 'one'), join(home, 'two')];
  expect(putAll(planOf(fileAt(two), fileAt(one)), order(), nothing)).toMatchObject({ ok: true });
  writeFileSync(two, `more\n${OURS}`);
  const broken: HookFile = {
    ...fileAt(two),
    strip: () => {
      writeFileSync(one, 'theirs\n');
      return { ok: false, failure: failure('configuration', 'broken') };
    },
  };
  expect(takeAllOut(planOf(broken, fileAt(one)), order().records)).toMatchObject({
    failure: { message: expect.stringContaining(`not put back: ${one} (changed meanwhile)`) },
  });
  expect(readFileSync(one, 'utf8')).toBe('theirs\n');
});

it('an installation is one failure, and no exception, if the copy of the original cannot be read', () => {
  expect(putAll(planOf(fileAt(join(home, 'one'))), order(), nothing)).toMatchObject({ ok: true });
  const [copy = ''] = readdirSync(home).filter((name) => name.includes('.before-ape-shell-'));
  rmSync(join(home, copy));
  mkdirSync(join(home, copy));
  expect(putAll(planOf(fileAt(join(home, 'one'))), order(), nothing)).toMatchObject({ ok: false });
});

it('an installation makes the file that a dangling link names, and the link stays', () => {
  const link = join(home, 'link');
  symlinkSync('next', link);
  symlinkSync('dotfiles/settings', join(home, 'next'));
  expect(putAll(planOf(fileAt(link)), order(), nothing)).toMatchObject({ ok: true });
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(home, 'dotfiles/settings'), 'utf8')).toBe(OURS);
  expect(takeAllOut(planOf(fileAt(link)), order().records)).toMatchObject({ ok: true });
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

it('a removal brings back no entries of an earlier installation after a person has changed the file', () => {
  const path = join(home, 'one');
  const first = { ...fileAt(path), apply: () => success(`mine\nours-1\n`) };
  const second = { ...fileAt(path), apply: (text: string | null) => success(`${stripped(text ?? '')}ours-2\n`) };
  const stripped = (text: string) => text.replaceAll(/ours-\d\n/g, '');
  const strip = (text: string) => success(stripped(text));
  expect(putAll(planOf({ ...first, strip }), order(), nothing).ok).toBe(true);
  writeFileSync(path, 'changed\nmine\nours-1\n');
  expect(putAll(planOf({ ...second, strip }), order(), nothing).ok).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe('changed\nmine\nours-2\n');
  expect(takeAllOut(planOf({ ...second, strip }), order().records).ok).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe('changed\nmine\n');
});
