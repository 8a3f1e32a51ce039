/** The plugin that `apes hooks install opencode` writes, run as opencode runs it, with slow reports. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import type { Scope } from '../../src/harness/hook-file.ts';
import { KILO, OPENCODE, type OpencodeFamily } from '../../src/harness/opencode/family.ts';
import { planFamily } from '../../src/harness/opencode/installation.ts';

/** A hook that records its event only after a delay, like a session on a busy machine. */
const SLOW_REPORT = (log: string): string => `#!/bin/sh
said=$(cat)
sleep 0.4
printf '%s\\n' "$said" >> '${log}'
`;

interface Plugin {
  readonly config: (config: Record<string, unknown>) => Promise<void>;
  readonly event: (notice: object) => Promise<void>;
  readonly 'chat.message': (input: object, output: object) => Promise<void>;
  readonly 'tool.execute.before': (call: object, output: object) => Promise<void>;
}

const place = mkdtempSync(join(tmpdir(), 'ape-plugin-'));
const log = join(place, 'reports');
let plugin: Plugin;
let exported: readonly string[];

beforeAll(async () => {
  mkdirSync(join(place, 'bin'));
  writeFileSync(log, '');
  writeFileSync(join(place, 'bin/apes'), SLOW_REPORT(log), { mode: 0o755 });
  guardAnswers({ decision: 'allow' });
  const loaded = await load(OPENCODE, 'user');
  exported = Object.keys(loaded);
  plugin = await loaded.ApeShell({ directory: place });
});

function guardAnswers(answer: object): void {
  const script = `#!/bin/sh\ncat > '${place}/asked'\ncat << 'END'\n${JSON.stringify(answer)}\nEND\n`;
  writeFileSync(join(place, 'bin/hook-guard'), script, { mode: 0o755 });
}

/** Loads the plugin that is written for this scope, with a folder of the machine that the test can write. */
async function load(family: OpencodeFamily, scope: Scope): Promise<{ ApeShell: (at: object) => Promise<Plugin> }> {
  const places = { scope, home: place, project: place, dist: place, shims: place, environment: new Map() };
  const { files } = planFamily(family, places);
  const text = files.map((file) => file.apply(null)).find((made) => made.ok && made.value.includes('chat.message'));
  if (text?.ok !== true) throw new Error('the plan has no plugin');
  const path = join(place, `plugin-${family.name}-${scope}.mjs`);
  writeFileSync(path, text.value);
  return import(path);
}
afterAll(() => removeDirectory(place));

const reports = (): readonly { hook_event_name: string; event?: { type: string } }[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

it('the plugin holds a prompt back until it is reported; the report confirms a message that was sent', async () => {
  await plugin['chat.message']({}, { parts: [{ type: 'text', text: 'hello' }] });
  expect(reports().map((each) => each.hook_event_name)).toEqual(['chat.message']);
});

it('the plugin holds a tool back until this tool and everything before it are reported, in their order', async () => {
  void plugin.event({ event: { type: 'session.idle', properties: {} } });
  await plugin['tool.execute.before']({ tool: 'read', callID: 'c1' }, { args: {} });
  expect(
    reports()
      .slice(1)
      .map((each) => each.event?.type ?? each.hook_event_name),
  ).toEqual(['session.idle', 'tool.execute.before']);
});

it('the end of a turn and the prompt of a subagent are no end and no prompt of the agent, and are not reported', async () => {
  writeFileSync(log, '');
  const of = (type: string, properties: object) => plugin.event({ event: { type, properties } });
  await of('session.created', { info: { id: 'child', parentID: 'main' } });
  await of('session.updated', { info: { id: 'main' } });
  await plugin['chat.message']({ sessionID: 'child' }, { parts: [{ type: 'text', text: 'look' }] });
  await of('session.idle', { sessionID: 'child' });
  await of('session.idle', { sessionID: 'main' });
  await plugin['chat.message']({ sessionID: 'main' }, { parts: [{ type: 'text', text: 'go on' }] });
  expect(reports().map((each) => each.event?.type ?? each.hook_event_name)).toEqual(['session.idle', 'chat.message']);
});

it('the file exports only the plugin, because opencode takes each export for a plugin and calls it', () => {
  expect(exported).toEqual(['ApeShell']);
});

describe('what runs is what the gate decided on', () => {
  const beforeTool = (output: object) => plugin['tool.execute.before']({ tool: 'bash', callID: 'c2' }, output);

  it('a replaced command is put into the very object that opencode goes on with', async () => {
    guardAnswers({ decision: 'allow', input: { command: 'gated' } });
    const args = { command: 'date', workdir: '/elsewhere' };
    await beforeTool({ args });
    expect(args).toEqual({ command: 'gated' });
  });

  it('the object cannot be changed afterwards, not even its nested members', async () => {
    guardAnswers({ decision: 'allow' });
    const args = { content: 'approved', edits: [{ newText: 'approved' }] };
    await beforeTool({ args });
    expect(() => {
      args.content = 'swapped';
    }).toThrow(TypeError);
    expect(() => {
      (args.edits[0] as { newText: string }).newText = 'swapped';
    }).toThrow(TypeError);
    expect(args).toEqual({ content: 'approved', edits: [{ newText: 'approved' }] });
  });

  it('arguments that change while the gate decides are reset to what the gate was asked about', async () => {
    guardAnswers({ decision: 'allow' });
    const args = { content: 'approved' };
    const asked = beforeTool({ args });
    args.content = 'swapped';
    await asked;
    expect(args).toEqual({ content: 'approved' });
    expect(JSON.parse(readFileSync(join(place, 'asked'), 'utf8')).input).toEqual({ content: 'approved' });
  });

  it('an object that cannot be reset is denied', async () => {
    guardAnswers({ decision: 'allow' });
    const args = Object.defineProperty({}, 'content', { get: () => 'swapped', enumerable: true, configurable: false });
    await expect(beforeTool({ args })).rejects.toThrow(TypeError);
  });

  it('the shell in the settings is ours again, whatever a project set', async () => {
    const config = { shell: '/bin/bash' };
    await plugin.config(config);
    expect(config.shell).toBe(join(place, 'bin/ape-shell'));
  });
});

describe.each([OPENCODE, KILO])('$name, settings of the machine', (family) => {
  const project = join(place, `project-${family.name}`);
  const open = async (config: Record<string, unknown>): Promise<Plugin> => {
    const managed = await (await load(family, 'managed')).ApeShell({ directory: project });
    await managed.config(config);
    return managed;
  };
  const read = (managed: Plugin) => managed['tool.execute.before']({ tool: 'read', callID: 'c3' }, { args: {} });
  beforeAll(() => {
    mkdirSync(join(project, family.projectFolders[0] ?? '', 'tool'), { recursive: true });
    guardAnswers({ decision: 'allow' });
  });

  it('a server that neither the user nor the administrator named is not started', async () => {
    const config = { mcp: { theirs: { type: 'local', command: ['evil'], enabled: true } } };
    await read(await open(config));
    expect(config.mcp.theirs.enabled).toBe(false);
  });

  it('a plugin of the project denies every tool, and the denial says what to do', async () => {
    const origins = [
      { spec: 'file:///own.js', scope: 'global' },
      { spec: 'file:///theirs.js', scope: 'local' },
    ];
    await expect(read(await open({ plugin_origins: origins }))).rejects.toThrow(
      'code loaded that no gate sees: file:///theirs.js. A human has to check this code',
    );
    await read(await open({ plugin_origins: origins.slice(0, 1) }));
  });

  it.each([
    ['tool/x.ts', ''],
    ['plugins/x.js', ''],
    [`${family.settings[0]}.jsonc`, '{ "plugins": ["./x.js"], } // theirs'],
    [`${family.settings[0]}.json`, '{ "plugin": ['],
    [`${family.settings[0]}.json`, '{ "provider": { "x": { "npm": "file:///x.js" } } }'],
    [`${family.settings[0]}.json`, '{ "provider": { "x": { "models": { "y": { "provider": { "npm": "z" } } } } } }'],
    [`${family.settings[0]}.json`, '{ "provider": { "x": { "npm": "@ai-sdk/x@npm:z" } } }'],
    [`${family.settings[0]}.json`, '{ "skills": { "urls": ["http://127.0.0.1:9"] } }'],
    ['agent/deep/x.md', '---js\n{}\n---\n'],
    ['skills/x/SKILL.md', '\uFEFF--- javascript\n{}\n---\n'],
    ['command/x.md', '---\rjs\n{}\n---\n'],
    ['agent/node_modules/x.md', '---js\n{}\n---\n'],
    ['../.claude/skills/x/SKILL.md', '---js\n{}\n---\n'],
    ['../.agents/skills/x/SKILL.md', '---js\n{}\n---\n'],
  ])('%s of the project with %j denies every tool', async (name, text) => {
    const file = join(project, family.projectFolders[0] ?? '', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    await expect(read(await open({}))).rejects.toThrow(file);
    rmSync(file);
    await read(await open({}));
  });

  it.each([
    ['agent/x.md', '---\ndescription: x\n---\n--- js\n'],
    ['command/x.md', '----js\n'],
    [`${family.settings[0]}.json`, '{ "provider": { "x": { "npm": "@ai-sdk/openai-compatible", "models": {} } } }'],
    ['node_modules/x/README.md', '---js\n'],
  ])('%s of the project with %j denies nothing', async (name, text) => {
    const file = join(project, family.projectFolders[0] ?? '', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    await read(await open({}));
    rmSync(file);
  });

  it('a link that leads to itself denies nothing', async () => {
    const link = join(project, family.projectFolders[0] ?? '', 'loop');
    symlinkSync('loop', link);
    await read(await open({}));
    rmSync(link);
  });

  it('more texts than it examines deny every tool', async () => {
    const folder = join(project, family.projectFolders[0] ?? '', 'agent');
    mkdirSync(folder, { recursive: true });
    for (let count = 0; count <= 10_000; count += 1) writeFileSync(join(folder, `${count}.txt`), '');
    await expect(read(await open({}))).rejects.toThrow(`${dirname(folder)}. A human`);
    rmSync(folder, { recursive: true });
    await read(await open({}));
  });

  it.each(['// }', `//${'/'.repeat(80)}`, '/* } */ /* a **/'])('%s after a comma is a comment', async (comment) => {
    const file = join(project, `${family.settings[0]}.jsonc`);
    writeFileSync(file, `{ "theme": "x", ${comment}\n "model": "y", ${comment}\n}\n`);
    await read(await open({}));
    rmSync(file);
  });

  it('no call goes through before the settings were checked', async () => {
    const managed = await (await load(family, 'managed')).ApeShell({ directory: project });
    await expect(read(managed)).rejects.toThrow('not looked at');
  });
});
