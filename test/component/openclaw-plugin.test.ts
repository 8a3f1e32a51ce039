/** Our plugin among other plugins in openclaw: hooks run from the highest to the lowest priority, and the last parameters count. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { gatePluginText } from '../../src/harness/plugin-text.ts';

interface Decision {
  readonly params?: unknown;
  readonly block?: boolean;
  readonly blockReason?: string;
}
type Handler = (event: object, context: object) => Decision | undefined | Promise<Decision | undefined>;
interface Hook {
  readonly handler: Handler;
  readonly options: { readonly priority?: number; readonly timeoutMs?: number };
}

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'ape-openclaw-plugin-'));
  mkdirSync(join(place, 'bin'));
});
afterEach(() => removeDirectory(place));

/** Returns the hook that our plugin registers, with this program in place of the guard. */
async function ownHook(guard: string): Promise<Hook> {
  writeFileSync(join(place, 'bin/hook-guard'), `#!/bin/sh\n${guard}\n`, { mode: 0o755 });
  writeFileSync(join(place, 'bin/apes'), '#!/bin/sh\n', { mode: 0o755 });
  const places = {
    scope: 'user',
    home: place,
    project: place,
    environment: new Map(),
    dist: place,
    shims: '',
  } as const;
  const file = join(place, 'index.mjs');
  writeFileSync(file, gatePluginText(places, 'openclaw'));
  const plugin = ((await import(file)) as { default: { register: (api: object) => void } }).default;
  const hooks: (Hook & { readonly name: string })[] = [];
  plugin.register({
    on: (name: string, handler: Handler, options: Hook['options'] = {}) => hooks.push({ name, handler, options }),
  });
  const [gate, ...others] = hooks.filter(({ name }) => name === 'before_tool_call');
  expect(others).toEqual([]);
  if (gate === undefined) throw new Error('no hook before a tool');
  return gate;
}

/** Calls the hooks as openclaw 2026.9.6 does: by priority, each with the call as the model made it. A block ends the series. */
async function decided(hooks: readonly Hook[], params: object): Promise<Decision> {
  let result: Decision = {};
  for (const { handler } of hooks.toSorted(
    (one, other) => (other.options.priority ?? 0) - (one.options.priority ?? 0),
  )) {
    const next = (await handler({ toolName: 'exec', toolCallId: 'c1', params }, { workspaceDir: place })) ?? {};
    result = { ...result, ...next };
    if (result.block === true) break;
  }
  return result;
}

const rewriting: Hook = { handler: () => ({ params: { command: 'rewritten' } }), options: { priority: -100 } };

it('our plugin decides last what runs, also if the guard changed nothing', async () => {
  const replaced = await ownHook(`cat >/dev/null; echo '{"decision":"allow","input":{"command":"gated"}}'`);
  expect(await decided([replaced, rewriting], { command: 'asked' })).toEqual({ params: { command: 'gated' } });
  const asItIs = await ownHook(`cat >/dev/null; echo '{"decision":"allow"}'`);
  expect(await decided([asItIs, rewriting], { command: 'asked' })).toEqual({ params: { command: 'asked' } });
});

it('our plugin blocks if the guard denies, fails or does not answer, whatever other plugins say', async () => {
  for (const guard of [`echo '{"decision":"deny","reason":"no"}'`, 'exit 1', 'echo oops', ':']) {
    const hook = await ownHook(`cat >/dev/null; ${guard}`);
    expect(await decided([hook, rewriting], { command: 'asked' }), guard).toMatchObject({ block: true });
  }
});

it('openclaw waits for our plugin longer than the guard may take, so that the model reads our message', async () => {
  const { options } = await ownHook(':');
  expect(options.timeoutMs).toBeGreaterThan(40_000);
});
