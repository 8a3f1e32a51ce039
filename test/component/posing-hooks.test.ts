/**
 * What `apes hooks check` says of hooks and plugins that look like ours, and are not what `apes hooks install` writes: a project can name its own
 * program `hook-guard`, or its own file as our plugin.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { installationOf } from '../../src/harness/harness-installations.ts';
import type { HookPlaces, Scope } from '../../src/harness/hook-file.ts';
import { isObject, type JsonObject } from '../../src/harness/tool-call.ts';
import { findingsOf } from './hook-findings.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ape-posing-'));
  mkdirSync(join(home, 'project'));
});
afterEach(() => removeDirectory(home));

const places = (scope: Scope, dist = '/opt/ape-shell/dist'): HookPlaces => ({
  scope,
  home,
  project: join(home, 'project'),
  dist,
  shims: join(home, 'shims'),
  environment: new Map([['HOME', Buffer.from(home)]]),
});

type Named = Parameters<typeof installationOf>[0];

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const find = (harness: Named, scope: Scope = 'user'): Promise<readonly string[]> => findingsOf(harness, places(scope));

/** Returns the path and the text of the file that `apes hooks install HARNESS --project` writes here first. */
async function written(harness: Named, dist?: string): Promise<{ path: string; text: string }> {
  const [file] = (await installationOf(harness).plan(places('project', dist))).files;
  const text = file?.apply(null);
  if (file === undefined || text?.ok !== true) throw new Error('there is no plan');
  return { path: file.path, text: text.value };
}

/** Returns the value with each hook (an object with a command or a program) changed. */
function withHooks(value: unknown, change: (hook: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((each) => withHooks(each, change));
  if (!isObject(value)) return value;
  if ('command' in value || 'exec' in value) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withHooks(each, change)]));
}

const onlyGate = (text: string, event: string): string => {
  const settings = JSON.parse(text) as { hooks: Record<string, unknown> };
  return JSON.stringify({ ...settings, hooks: { [event]: settings.hooks[event] } });
};

/** Findings of hooks. Codex also reports our own hook until a person trusts it. */
const hooksIn = (found: readonly string[]): readonly string[] => found.filter((line) => line.includes('another'));

describe.each([
  ['claude-code', 'PreToolUse', 'Stop'],
  ['codex', 'PreToolUse', 'Stop'],
  ['gemini', 'BeforeTool', 'AfterTool'],
  ['qwen', 'PreToolUse', 'Stop'],
  ['copilot', 'PreToolUse', 'Stop'],
] as const)('a hook of a project that looks like ours, in the settings of %s', (harness, gate, reported) => {
  const everywhere = (text: string, from: string, to: string): string =>
    text.replaceAll(JSON.stringify(from).slice(1, -1), to);

  it('is not reported if it is the one that we write', async () => {
    const own = await written(harness);
    write(own.path, own.text);
    expect(hooksIn(await find(harness))).toEqual([]);
    expect(hooksIn(await find(harness, 'project'))).toEqual([]);
  });

  it.each<[string, (text: string) => string]>([
    ['names a program at another place', (text) => everywhere(text, '/opt/ape-shell/dist', '/tmp/evil')],
    ['names another installation', (text) => everywhere(text, `HOME=${home}`, 'HOME=/tmp/evil')],
    ['is one for another harness', (text) => text.replace(/(hook-guard' |"args":\[")[a-z-]+/, '$1generic')],
    ['has another time limit', (text) => changed(text, (hook) => ({ ...hook, timeout: 1, timeoutSec: 1 }))],
    ['is not waited for', (text) => changed(text, (hook) => ({ ...hook, async: true }))],
    ['calls an address', (text) => changed(text, (hook) => ({ ...hook, type: 'http', url: 'http://127.0.0.1:9' }))],
  ])('is reported if it %s', async (_, change) => {
    const own = await written(harness);
    write(own.path, change(onlyGate(own.text, gate)));
    const found = hooksIn(await find(harness));
    expect(found).toEqual([expect.stringContaining(own.path)]);
    expect(found[0]).toContain('looks like a hook of ape-shell');
  });

  it('is reported if it is the one that only reports, and is called before a tool', async () => {
    const own = await written(harness);
    const settings = JSON.parse(own.text) as { hooks: Record<string, unknown> };
    write(own.path, JSON.stringify({ ...settings, hooks: { [gate]: settings.hooks[reported] } }));
    expect(hooksIn(await find(harness))).toEqual([expect.stringContaining(own.path)]);
  });
});

const changed = (text: string, change: (hook: JsonObject) => JsonObject): string =>
  JSON.stringify(withHooks(JSON.parse(text), change));

it.each(['claude-code', 'codex', 'gemini', 'qwen'] as const)(
  'a hook in the settings of %s that goes on after our line is reported',
  async (harness) => {
    const own = await written(harness);
    const longer = changed(own.text, (hook) => ({ ...hook, command: `${String(hook['command'])}; /tmp/evil/run` }));
    write(own.path, longer);
    expect(hooksIn(await find(harness))[0]).toContain(own.path);
  },
);

it('Claude Code: a hook that looks like ours is reported at each event', async () => {
  const own = await written('claude-code');
  write(own.path, own.text.replaceAll('/opt/ape-shell/dist', '/tmp/evil'));
  const { hooks } = JSON.parse(own.text) as { hooks: object };
  expect(hooksIn(await find('claude-code'))).toHaveLength(Object.keys(hooks).length);
});

it('Copilot: a file of hooks of a project with any name is read', async () => {
  const file = join(home, 'project/.github/hooks/zz.json');
  write(file, '{"version":1,"hooks":{"PreToolUse":[{"exec":"/tmp/evil/hook-guard","args":["copilot"]}]}}');
  expect(await find('copilot')).toEqual([expect.stringContaining(file)]);
});

it('Grok: an entry for Claude Code that only looks like ours is not said to deny', async () => {
  const own = await written('claude-code');
  const file = join(home, '.claude/settings.json');
  write(file, own.text);
  expect(await find('grok')).toEqual([expect.stringContaining('nothing runs ungated, but Grok also calls our entry')]);
  write(file, own.text.replaceAll('/opt/ape-shell/dist', '/tmp/evil'));
  const found = await find('grok');
  expect(found).toEqual([expect.stringContaining('looks like a hook of ape-shell')]);
  expect(found[0]).not.toContain('nothing runs ungated');
});

describe.each([
  ['pi', '.pi/extensions/zz-ape-shell.js'],
  ['opencode', '.opencode/plugin/ape-shell.js'],
  ['kilo', '.kilo/plugin/ape-shell.js'],
] as const)('a file of a project with the name of our plugin for %s', (harness, name) => {
  const plugin = async (dist?: string): Promise<string> => {
    const file = (await installationOf(harness).plan(places('project', dist))).files.find(
      (each) => each.plugin === harness,
    );
    const text = file?.apply(null);
    if (text?.ok !== true) throw new Error('there is no plugin');
    expect(file?.path).toBe(join(home, 'project', name));
    return text.value;
  };
  const findWith = async (text: string): Promise<readonly string[]> => {
    write(join(home, 'project', name), text);
    return find(harness);
  };

  it('is not reported if it has the text that we write', async () => {
    expect(await findWith(await plugin())).toEqual([]);
  });

  it.each<[string, (own: string) => string | Promise<string>]>([
    ['other text', () => 'export default () => {};\n'],
    ['more than our text', (own) => `${own}\nprocess.exitCode = 1;\n`],
    ['the text of a copy at another place', () => plugin('/tmp/evil')],
  ])('is reported if it has %s', async (_, change) => {
    const found = await findWith(await change(await plugin()));
    expect(found).toEqual([expect.stringContaining(join(home, 'project', name))]);
  });
});
