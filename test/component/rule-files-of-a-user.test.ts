/** Rule files of the user are loaded together with the built-in ones; a broken or unsafe file is refused. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { compileRules } from '../../scripts/compile-rules.mjs';
import { loadMcpRules } from '../../src/platform/mcp-rule-files.ts';
import { loadRules, ruleDirectory } from '../../src/platform/rule-files.ts';

let home: string;
const config = () => join(home, 'config.toml');

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'ape-rules-'));
  const { text } = await compileRules((file) => ['ls.toml', 'git.toml', 'grep.toml'].includes(file));
  writeFileSync(join(home, 'rules.json'), text);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(name: string, text: string, mode = 0o600): string {
  mkdirSync(ruleDirectory(config()), { recursive: true, mode: 0o700 });
  const path = join(ruleDirectory(config()), name);
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

const MINE = `tool = "ls"
does = "Mine."
risk = "high"
options = ["-q"]
match = ["ls -q => high"]
not_match = ["ls a"]
`;

it('a rule is found by each of its names, and a property name of JavaScript finds none', async () => {
  const book = await loadRules(home, config());
  if (!book.ok) throw new Error(book.failure.message);
  expect(book.value.find('egrep')?.tool).toBe('grep');
  expect(book.value.find('git')?.root.commands['log']?.operation).toBe('git log');
  expect(book.value.find('git')).toBe(book.value.find('git'));
  for (const name of ['constructor', '__proto__', 'toString', 'nothing', '']) expect(book.value.find(name)).toBeNull();
});

it('a file of the user replaces a built-in file of the same tool, and adds other tools', async () => {
  write('ls.toml', MINE);
  write('x.toml', 'tool = "x"\nnames = ["x", "y"]\ndoes = "X."\nmatch = ["x => low"]\nnot_match = ["x a"]\n');
  const book = await loadRules(home, config());
  if (!book.ok) throw new Error(book.failure.message);
  expect(book.value.find('ls')?.root.does).toBe('Mine.');
  expect(book.value.find('y')?.tool).toBe('x');
  expect(book.value.find('git')?.tool).toBe('git');
});

it('a broken file is refused with its path, line and column, and nothing is loaded in its place', async () => {
  const path = write('ls.toml', MINE.replace('=> high', '=> low'));
  expect(await loadRules(home, config())).toMatchObject({
    ok: false,
    failure: { code: 'configuration', message: `${path}:5:10: "ls -q" is ls: high` },
  });
});

it('a file that others can write is refused', async () => {
  write('ls.toml', MINE, 0o666);
  const book = await loadRules(home, config());
  expect(book.ok ? 'loaded' : book.failure.message).toContain('can be used by others');
});

it('missing built-in rules are reported', async () => {
  rmSync(join(home, 'rules.json'));
  expect(await loadRules(home, config())).toMatchObject({ ok: false, failure: { code: 'configuration' } });
});

it.each([
  ['rules.d', loadRules],
  ['mcp.d', loadMcpRules],
] as const)('%s is refused if it is a dangling link, or cannot be looked up', async (name, load) => {
  writeFileSync(join(home, 'mcp-rules.json'), '[]');
  expect(await load(home, config())).toMatchObject({ ok: true });
  symlinkSync(join(home, 'nowhere'), join(home, name));
  expect(await load(home, config())).toMatchObject({ ok: false, failure: { code: 'configuration' } });
  writeFileSync(join(home, 'file'), '');
  expect(await load(home, join(home, 'file', 'config.toml'))).toMatchObject({ ok: false });
});
