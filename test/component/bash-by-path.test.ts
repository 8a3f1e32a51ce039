/** What `apes hooks install gemini|qwen` writes, and how `apes hooks check` finds settings of a project that disable our hook or our settings. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BashByPath, planBashByPath } from '../../src/harness/bash-by-path.ts';
import { bashByPathOpenings } from '../../src/harness/bash-by-path-openings.ts';
import { geminiInstallation } from '../../src/harness/gemini/installation.ts';
import type { HookPlaces } from '../../src/harness/hook-file.ts';
import { findingsOf } from './hook-findings.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'ape-by-path-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const places = (scope: HookPlaces['scope'] = 'user'): HookPlaces => ({
  scope,
  home: join(place, 'home'),
  project: join(place, 'project'),
  environment: new Map(),
  dist: '/opt/dist',
  shims: join(place, 'shims'),
});

function write(name: string, text: string): void {
  mkdirSync(dirname(join(place, name)), { recursive: true });
  writeFileSync(join(place, name), text);
}

/** A harness whose settings of the whole machine are in a file that a test may write. */
const testHarness = (): BashByPath => ({
  name: 'qwen',
  gate: 'PreToolUse',
  reported: ['Stop'],
  folder: '.qwen',
  machine: join(place, 'machine.json'),
  pins: [
    [['disableAllHooks'], false],
    [['env', 'QWEN_CODE_SAFE_MODE'], '0'],
  ],
  switches: ['QWEN_CODE_SAFE_MODE'],
});

function applied(harness: BashByPath, scope: HookPlaces['scope'], text: string | null): string {
  const [file] = planBashByPath(harness, places(scope), []).files;
  const result = file?.apply(text);
  if (result?.ok !== true) throw new Error('no text');
  return result.value;
}

const nameIn = (text: string): string => {
  const { hooks } = JSON.parse(text) as { hooks: Record<string, { hooks: { name: string }[] }[]> };
  return hooks['PreToolUse']?.[0]?.hooks[0]?.name ?? '';
};

describe('our hook', () => {
  it('has a name that cannot be guessed, and keeps it', () => {
    const first = applied(testHarness(), 'managed', null);
    expect(nameIn(first)).toMatch(/^ape-shell-[0-9a-f]{16}$/);
    expect(nameIn(applied(testHarness(), 'managed', null))).not.toBe(nameIn(first));
    writeFileSync(testHarness().machine, first);
    expect(applied(testHarness(), 'managed', null)).toBe(first);
    expect(applied(testHarness(), 'managed', first)).toBe(first);
  });

  it('does not keep a name that another program could know', () => {
    const known = applied(testHarness(), 'managed', null).replace(/ape-shell-[0-9a-f]{16}/, 'ape-shell');
    writeFileSync(testHarness().machine, known);
    expect(nameIn(applied(testHarness(), 'managed', null))).toMatch(/^ape-shell-[0-9a-f]{16}$/);
  });
});

describe('our settings beside the hook', () => {
  it('are written only into the settings of the whole machine, and are removed with the hook; earlier values come back', () => {
    const original = '{"disableAllHooks": true, "env": {"X": "1"}}\n';
    const [file] = planBashByPath(testHarness(), places('managed'), []).files;
    const now = applied(testHarness(), 'managed', original);
    expect(JSON.parse(now)).toMatchObject({ disableAllHooks: false, env: { X: '1', QWEN_CODE_SAFE_MODE: '0' } });
    expect(file?.strip(now, original)).toEqual({ ok: true, value: original });
    expect(JSON.parse(applied(testHarness(), 'user', null))).not.toHaveProperty('disableAllHooks');
  });

  it("leave an administrator's value unchanged if any value prevents a project from setting its own", async () => {
    const [file] = (await geminiInstallation.plan(places('managed'))).files;
    const before = '{"tools": {"discoveryCommand": "/opt/tools"}}\n';
    const now = file?.apply(before);
    if (now?.ok !== true) throw new Error('no text');
    expect(JSON.parse(now.value)).toMatchObject({
      hooksConfig: { enabled: true },
      tools: { discoveryCommand: '/opt/tools', callCommand: '' },
      mcp: { serverCommand: '' },
    });
    expect(file?.apply(now.value)).toEqual(now);
    expect(file?.strip(now.value, before)).toEqual({ ok: true, value: before });
  });

  it('are reported if they are missing or changed', () => {
    const missing = () => bashByPathOpenings(testHarness(), places('managed'));
    expect(missing()).toHaveLength(2);
    writeFileSync(testHarness().machine, applied(testHarness(), 'managed', null));
    expect(missing()).toEqual([]);
    writeFileSync(testHarness().machine, applied(testHarness(), 'managed', null).replace('"0"', '"1"'));
    expect(missing()).toEqual([expect.stringContaining('env.QWEN_CODE_SAFE_MODE is not "0"')]);
  });
});

describe('a way around our hook', () => {
  it('is not reported for plain settings or for our own hooks', async () => {
    write('project/.gemini/settings.json', '{"model": "x"}');
    write('project/.env', 'GEMINI_API_KEY=x\n# SHELL=/bin/zsh\n');
    write('project/.gemini/commands/plain.toml', 'prompt = "Say this: {{args}}"');
    const [file] = planBashByPath({ ...testHarness(), folder: '.gemini' }, places('project'), []).files;
    const own = file?.apply(null);
    write('home/.qwen/settings.json', own?.ok === true ? own.value : '');
    expect(await findingsOf('gemini', places())).toEqual([]);
    expect(await findingsOf('qwen', places())).toEqual([]);
  });

  it.each<['gemini' | 'qwen', string, string, string]>([
    [
      'gemini',
      '.gemini/settings.json',
      '{"hooks": {"BeforeTool": [{"hooks": [{"command": "rtk"}]}]}}',
      'another BeforeTool hook',
    ],
    [
      'gemini',
      '.gemini/settings.json',
      '{"tools": {"discoveryCommand": "x"}}',
      'does not know: tools.discoveryCommand;',
    ],
    ['gemini', '.gemini/settings.json', '{"mcp": {"serverCommand": "x"}}', 'does not know: mcp.serverCommand;'],
    ['gemini', '.gemini/settings.json', '{"mcpServers": {"evil": {"command": "x"}}}', 'does not know: mcpServers;'],
    ['gemini', '.gemini/settings.json', '{"x": 1, "x": 2, "mcp": {"serverCommand": "x"}}', 'cannot read it as JSON'],
    [
      'gemini',
      '.gemini/settings.json',
      `{"x": ${'1'.repeat(250)}, "mcp": {"serverCommand": "x"}}`,
      'cannot read it as JSON',
    ],
    [
      'gemini',
      '.gemini/settings.json',
      `{"x": ${'['.repeat(250)}${']'.repeat(250)}, "mcp": {"serverCommand": "x"}}`,
      'cannot read it as JSON',
    ],
    ['gemini', '.gemini/.env', 'export APES_HOME=/tmp/x\n', 'does not know: APES_HOME;'],
    ['gemini', '.env', 'GEMINI_CLI_SYSTEM_SETTINGS_PATH=/dev/null', 'does not know: GEMINI_CLI_SYSTEM_SETTINGS_PATH;'],
    ['gemini', '.gemini/commands/a/b.toml', 'prompt = "!{date}"', '!{…}'],
    ['qwen', '.qwen/commands/b.md', 'Say !{date}', '!{…}'],
    ['qwen', '.qwen/.env', 'QWEN_CODE_SIMPLE: 1', 'does not know: QWEN_CODE_SIMPLE;'],
    ['qwen', '.qwen/settings.json', '{"env": {"QWEN_CODE_SAFE_MODE": "1"}}', 'does not know: env.QWEN_CODE_SAFE_MODE;'],
  ])('%s: %s with %j is reported with the name of the file', async (name, file, text, what) => {
    write(join('project', file), text);
    const found = await findingsOf(name, places());
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(join(place, 'project', file));
    expect(found[0]).toContain(what);
  });

  it('is found in a long file', async () => {
    write('project/.gemini/.env', `${'# a long remark\n'.repeat(70_000)}APES_HOME=/tmp/x\n`);
    expect(await findingsOf('gemini', places())).toEqual([
      expect.stringContaining('it has more than 256000 bytes, so this check does not examine it'),
    ]);
  });

  it('is not hidden by many files: not all were examined is a finding', async () => {
    const folder = join(place, 'project/.qwen/commands');
    mkdirSync(folder, { recursive: true });
    // With `.qwen` and `commands`, these are exactly 10,000 entries.
    for (let count = 1; count <= 9_998; count += 1) writeFileSync(join(folder, `${count}.txt`), '');
    expect(await findingsOf('qwen', places())).toEqual([]);
    writeFileSync(join(folder, '0.txt'), '');
    expect(await findingsOf('qwen', places())).toEqual([
      `${folder}: there are more than 10000 files, so not all of them were examined; read it before you start Qwen Code here`,
    ]);
  });
});
