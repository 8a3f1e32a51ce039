/** The plugin that `apes hooks install opencode` writes, run as opencode runs it, with reports that take their time. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { planOpencode } from '../../src/harness/opencode/installation.ts';

/** Tells what it heard only when it ends, as a session that is asked on a machine at work. */
const SLOW_REPORT = (log: string): string => `#!/bin/sh
said=$(cat)
sleep 0.4
printf '%s\\n' "$said" >> '${log}'
`;

interface Plugin {
  readonly event: (told: object) => Promise<void>;
  readonly 'chat.message': (input: object, output: object) => Promise<void>;
  readonly 'tool.execute.before': (call: object, output: object) => Promise<void>;
}

const place = mkdtempSync(join(tmpdir(), 'ape-plugin-'));
const log = join(place, 'told');
let plugin: Plugin;
let exported: readonly string[];

beforeAll(async () => {
  mkdirSync(join(place, 'bin'));
  writeFileSync(log, '');
  writeFileSync(join(place, 'bin/apes'), SLOW_REPORT(log), { mode: 0o755 });
  writeFileSync(join(place, 'bin/hook-guard'), `#!/bin/sh\ncat > /dev/null\necho '{"decision":"allow"}'\n`, {
    mode: 0o755,
  });
  const places = {
    scope: 'user' as const,
    home: place,
    project: place,
    dist: place,
    shims: place,
    environment: new Map(),
  };
  const { files } = planOpencode(places);
  const text = files.map((file) => file.apply(null)).find((made) => made.ok && made.value.includes('chat.message'));
  if (text?.ok !== true) throw new Error('the plan has no plugin');
  const path = join(place, 'plugin.mjs');
  writeFileSync(path, text.value);
  const loaded = (await import(path)) as { ApeShell: (places: object) => Promise<Plugin> };
  exported = Object.keys(loaded);
  plugin = await loaded.ApeShell({ directory: place });
});
afterAll(() => removeDirectory(place));

const told = (): readonly { hook_event_name: string; event?: { type: string } }[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

it('holds a prompt back until it is reported: a message that is sent is confirmed by that', async () => {
  await plugin['chat.message']({}, { parts: [{ type: 'text', text: 'hello' }] });
  expect(told().map((each) => each.hook_event_name)).toEqual(['chat.message']);
});

it('holds a tool back until what came before and the tool itself are reported, in their order', async () => {
  void plugin.event({ event: { type: 'session.idle', properties: {} } });
  await plugin['tool.execute.before']({ tool: 'read', callID: 'c1' }, { args: {} });
  expect(
    told()
      .slice(1)
      .map((each) => each.event?.type ?? each.hook_event_name),
  ).toEqual(['session.idle', 'tool.execute.before']);
});

it('exports the plugin and nothing else: opencode takes each export of a file for a plugin, and calls it', () => {
  expect(exported).toEqual(['ApeShell']);
});
