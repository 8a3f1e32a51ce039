/** An installation of hooks writes all its files or none, even if other processes write them too. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { failure } from '../../src/core/failure.ts';
import { success } from '../../src/core/result.ts';
import type { HookFile, HookPlan } from '../../src/harness/hook-file.ts';
import { putAll, takeAllOut } from '../../src/harness/put-hooks.ts';

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

/** Every file below home with its mode and text. */
const everything = (): readonly string[] =>
  readdirSync(home, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stat = statSync(join(home, name));
      return `${name} ${stat.mode.toString(8)} ${stat.isDirectory() ? '' : readFileSync(join(home, name), 'utf8')}`;
    });

it('puts the first file back where the second cannot be written', () => {
  writeFileSync(join(home, 'no-folder'), '');
  const before = everything();
  const put = putAll(planOf(fileAt(join(home, 'one')), fileAt(join(home, 'no-folder/two'))), order(), nothing);
  expect(put).toMatchObject({ ok: false, failure: { code: 'system' } });
  expect(everything()).toEqual(before);
});

it('puts all back where what comes after the files fails, also folders and new files', () => {
  const before = everything();
  const why = failure('system', 'no shim');
  const put = putAll(planOf(fileAt(join(home, 'one')), fileAt(join(home, 'a/b/two'))), order(), () => why);
  expect(put).toEqual({ ok: false, failure: why });
  expect(everything()).toEqual(before);
});

it('what another program wrote since the file was read is never overwritten', () => {
  const path = join(home, 'one');
  const put = putAll(planOf(fileAt(path, () => writeFileSync(path, 'theirs\n'))), order(), nothing);
  expect(put).toMatchObject({ ok: false, failure: { message: expect.stringContaining('changed by another program') } });
  expect(readFileSync(path, 'utf8')).toBe('theirs\n');
  expect(readdirSync(home).sort()).toEqual(['one', 'records']);
  expect(readdirSync(join(home, 'records'))).toEqual([]);
});

it('leaves what another program wrote after us where all is put back, and says so', () => {
  const path = join(home, 'one');
  const put = putAll(planOf(fileAt(path)), order(), () => {
    writeFileSync(path, 'theirs\n');
    return failure('system', 'no shim');
  });
  expect(put).toMatchObject({ ok: false, failure: { message: `no shim; not put back: ${path} (changed meanwhile)` } });
  expect(readFileSync(path, 'utf8')).toBe('theirs\n');
});

it('puts the entries in again where the second file cannot be taken out', () => {
  const [one, two] = [join(home, 'one'), join(home, 'a/two')];
  const plan = planOf(fileAt(two), fileAt(one));
  expect(putAll(plan, order(), nothing)).toMatchObject({ ok: true });
  const before = everything();
  const broken: HookFile = {
    ...fileAt(two),
    strip: () => ({ ok: false, failure: failure('configuration', 'broken') }),
  };
  writeFileSync(two, `theirs\n${OURS}`);
  const changed = everything();
  expect(takeAllOut(planOf(broken, fileAt(one)), order().records)).toMatchObject({ ok: false });
  expect(everything()).toEqual(changed);
  writeFileSync(two, OURS);
  expect(everything()).toEqual(before);
  expect(takeAllOut(plan, order().records)).toMatchObject({ ok: true });
  expect(readFileSync(one, 'utf8')).toBe('mine\n');
  expect(readdirSync(home).sort()).toEqual(['one', 'records']);
});

it('says what cannot be written in one line, and leaves nothing, if no folder can be made', () => {
  const before = everything();
  const put = putAll(planOf(fileAt(join(home, 'one')), fileAt('/proc/self/claude/settings.json')), order(), nothing);
  expect(put).toMatchObject({
    ok: false,
    failure: { message: expect.stringMatching(/^cannot write \/proc\/self\/claude/) },
  });
  expect(everything()).toEqual(before);
});
