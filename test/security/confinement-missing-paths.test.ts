/**
 * Threat: a line that names a path that does not exist yet may do more than the approver was shown, or fails. Real server, gate,
 * bash, tools and kernel.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REACHED } from '../fixtures/held-run.ts';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
const isHeld = REACHED.level > 0;
const project = (...parts: string[]): string => join(stage.scratch, 'work', 'project', ...parts);
const inProject = (line: string) => stage.run(`cd "$SCRATCH/work/project" && ape-shell -c '${line}'`);

beforeAll(async () => {
  await stage.open();
  mkdirSync(project('src'), { recursive: true });
  await stage.run(`echo 'PS1="U# "; bind "set enable-bracketed-paste off"' > "$SCRATCH/home/.bashrc"`);
});
afterAll(() => stage.close());

/** Asks for a line in the project, and approves the proposal `as` for always. */
async function approved(line: string, as = 'narrow'): Promise<void> {
  const asked = await inProject(line);
  if (/^ape-shell: granted/.test(asked.err)) return; // an earlier grant covers it
  const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0];
  const decided = await stage.run(`apes grants approve ${id} --term always --as ${as}`);
  if (decided.status !== 0) throw new Error(`${line}: ${asked.status} ${asked.err} ${decided.err}`);
}

const withoutScratch = (text: string): string => text.replaceAll(stage.scratch, '');

test('a line can write in a directory that it makes', async () => {
  await approved('mkdir -p made/deep && echo x > made/deep/file');
  const ran = await inProject('mkdir -p made/deep && echo x > made/deep/file');
  expect([ran.status, withoutScratch(ran.err)]).toEqual([0, expect.not.stringContaining('cannot confine')]);
  if (isHeld) expect(withoutScratch(ran.err)).toContain('writes /work/project; ');
  expect(existsSync(project('made', 'deep', 'file'))).toBe(true);
  rmSync(project('made'), { recursive: true });
});

test('mkdir -p makes directories outside of the project, and again under the same grant', async () => {
  const line = 'mkdir -p ../beside/deep/er';
  await approved(line, 'operation');
  const ran = await inProject(line);
  expect([ran.status, withoutScratch(ran.err)]).toEqual([0, expect.not.stringContaining('cannot confine')]);
  expect(existsSync(project('..', 'beside', 'deep', 'er'))).toBe(true);
  rmSync(project('..', 'beside'), { recursive: true });
  expect(await inProject(line)).toMatchObject({ status: 0 });
});

test('mkdir without -p fails with its own message if the parent directory does not exist', async () => {
  await approved('mkdir ../gone/new', 'operation');
  const ran = await inProject('mkdir ../gone/new');
  expect([ran.status, withoutScratch(ran.err)]).toEqual([
    1,
    expect.stringMatching(/mkdir: .*: No such file or directory/),
  ]);
});

test.each([
  ['find MISSING -delete', 1, /find: .MISSING.: No such file or directory/],
  ['find MISSING/below -delete', 1, /find: .MISSING\/below.: No such file or directory/],
  // Only our own line: rm prints nothing.
  ['rm -f MISSING', 0, /^[^\n]*\n$/],
  ['rm -f MISSING/file', 0, /^[^\n]*\n$/],
  ['rm -r MISSING/file', 1, /rm: cannot remove 'MISSING\/file': No such file or directory/],
  ['touch MISSING/file', 1, /touch: cannot touch 'MISSING\/file': No such file or directory/],
  ['cp -r src MISSING/new', 1, /cp: cannot create directory 'MISSING\/new': No such file or directory/],
  ['git add file', 128, /fatal: not a git repository/],
  ['git status', 128, /fatal: not a git repository/],
])('`%s` ends with the status and the message of its tool', async (line, status, message) => {
  await approved(line, line === 'git status' ? 'reading' : 'narrow');
  const ran = await inProject(line);
  expect([ran.status, withoutScratch(ran.err)]).toEqual([status, expect.stringMatching(message)]);
  expect(withoutScratch(ran.err)).toMatch(/^ape-shell: granted \(always, /);
});

test('in a session, an approved line ends with the status and the message of its tool', async () => {
  const keys = await stage.session('project');
  const line = async (text: string): Promise<string> => {
    const before = keys.printed.length;
    keys.type(`${text}\r`);
    const asked = (await keys.see(/Waiting[\s\S]*g_[a-z2-7]{26}|U# $/))[0];
    const id = /g_[a-z2-7]{26}/.exec(asked)?.[0];
    if (id !== undefined && !/U# $/.test(asked)) {
      await stage.run(`apes grants approve ${id} --term always --as narrow`);
      await keys.see(/U# $/);
    }
    return keys.printed.slice(before);
  };
  await line('mkdir -p made/deep && touch made/deep/file');
  rmSync(project('made'), { recursive: true, force: true });
  expect(await line('mkdir -p made/deep && touch made/deep/file')).not.toMatch(/Waiting|cannot confine/);
  expect(existsSync(project('made', 'deep', 'file'))).toBe(true);
  await line('rm -r MISSING/file');
  const printed = await line('rm -r MISSING/file');
  expect(printed).toContain("rm: cannot remove 'MISSING/file': No such file or directory");
  if (isHeld) expect(printed).toContain('ape-shell: status 1; the line was confined');
  keys.type(Buffer.from('\u0003\u0004'));
});
