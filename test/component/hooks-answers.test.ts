/**
 * What each harness is answered to the JSON it really sends (`test/fixtures/hooks/`, taken from runs of the real agents). Those named
 * `documented` are from the documentation of a harness that was not driven here.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../src/core/failure.ts';
import { gatedCall } from '../../src/core/own-call.ts';
import { failed, success } from '../../src/core/result.ts';
import { answerHook, type HookPlace } from '../../src/harness/answer-hook.ts';
import { readToolCall } from '../../src/harness/harness-tools.ts';
import { findHarness, HARNESS_NAMES, type InstalledHarness } from '../../src/harness/harnesses.ts';
import { FileStage } from './file-stage.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/hooks', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'ape-hooks-'));
const own = { shell: join(scratch, 'dist/bin/ape-shell'), control: join(scratch, 'dist/bin/apes') };
mkdirSync(join(scratch, 'dist/bin'), { recursive: true });
/** Says exactly what it was told to run. */
writeFileSync(own.shell, '#!/bin/sh\n[ "$#" = 2 ] && [ "$1" = -c ] || exit 99\nprintf %s "$2"\n');
chmodSync(own.shell, 0o755);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const harnessNamed = (name: string): InstalledHarness => {
  const harness = findHarness(name);
  if (harness === null) throw new Error(name);
  return harness;
};

const place = (more: Partial<HookPlace> = {}): HookPlace => ({
  own,
  environment: new Map([['PATH', Buffer.from('/usr/bin:/bin')]]),
  cwd: scratch,
  openFiles: async () => failed(failure('unavailable', 'the grant server cannot be asked')),
  explain: (grant) => `pending ${grant.id} ${grant.url}`,
  ...more,
});

async function answer(
  harness: InstalledHarness,
  event: object | string,
  at = place(),
): Promise<Record<string, unknown>> {
  const input = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
  const answered = await answerHook(harness, input, at);
  if (!answered.ok) throw new Error(answered.failure.message);
  return JSON.parse(answered.value) as Record<string, unknown>;
}

const eventOf = (harness: InstalledHarness, tool: string, input: object): object =>
  harness.sample.make?.(tool, input as Record<string, unknown>, scratch) ??
  (harness.sample.event === null
    ? { tool, input, cwd: scratch }
    : { hook_event_name: harness.sample.event, tool_name: tool, tool_input: input, cwd: scratch });

/** The command in the place of another, or null. */
function commandInPlace(answered: Record<string, unknown>): string | null {
  const inner = (answered['hookSpecificOutput'] ?? answered) as Record<string, unknown>;
  const input = (inner['updatedInput'] ?? inner['tool_input'] ?? inner['overrideInput'] ?? inner['input']) as
    | { command?: string; commands?: readonly string[] }
    | undefined;
  return input?.command ?? input?.commands?.join('\n') ?? null;
}

const fixtures = readdirSync(FIXTURES).map((file) => {
  const [harness = '', tool = '', from] = basename(file, '.json').split('.');
  return { file, harness, tool, isDocumented: from === 'documented', text: readFileSync(join(FIXTURES, file), 'utf8') };
});
const SHELL_TOOLS = [
  ...['Bash', 'run_shell_command', 'bash', 'run_commands'],
  ...['Shell', 'developer__shell', 'terminal', 'run_terminal_command'],
];
const READING = ['Read', 'read_file', 'read', 'read_files', 'glob', 'Glob'];

describe.each(fixtures)('$file', ({ harness: name, tool, text }) => {
  const harness = harnessNamed(name);
  const isShell = SHELL_TOOLS.includes(tool);

  it(isShell ? 'becomes a gated call, or is denied with it' : 'is denied while nobody can be asked', async () => {
    const answered = await answer(harness, text);
    if (!isShell) return expect(harness.dialect.isDenial(answered)).toBe(true);
    const call = gatedCall(own.shell, 'echo tripwire');
    if (harness.dialect.replace === null) {
      expect(harness.dialect.isDenial(answered)).toBe(true);
      return expect(JSON.stringify(answered)).toContain(JSON.stringify(call).slice(1, -1));
    }
    return expect(commandInPlace(answered)).toBe(call);
  });

  it('is not answered at all as another harness’s event, or cut short', async () => {
    for (const other of HARNESS_NAMES.map(harnessNamed))
      if (other.dialect.read(JSON.parse(text)) === null)
        expect(await answerHook(other, Buffer.from(text), place())).toMatchObject({ ok: false });
    expect(await answerHook(harness, Buffer.from(text.slice(0, -3)), place())).toMatchObject({ ok: false });
  });
});

it('what was not driven here has documented fixtures only, is never answered with another command, and says so', () => {
  for (const { harness: name, isDocumented } of fixtures)
    expect(isDocumented, name).toBe(harnessNamed(name).isDriven === false);
  const undriven = HARNESS_NAMES.map(harnessNamed).filter(({ isDriven }) => isDriven === false);
  expect(undriven.map(({ name }) => name)).toEqual(['cursor', 'goose', 'hermes', 'grok']);
  for (const harness of undriven) {
    expect(harness.dialect.replace).toBeNull();
    expect(harness.observed).toEqual([]);
    expect(fixtures.some(({ harness: name }) => name === harness.name)).toBe(true);
  }
});

describe('file tools, with a real grant server', () => {
  let stage: FileStage;
  beforeEach(async () => {
    stage = await FileStage.open();
  });
  afterEach(() => stage.close());

  const inProject = (text: string): string => text.replaceAll('/home/ada/project', stage.project);
  const gated = () => place({ openFiles: async () => success(stage.parts), cwd: stage.project });

  it.each(fixtures.filter(({ tool }) => !SHELL_TOOLS.includes(tool) && !READING.includes(tool)))(
    '$file: denied while it waits, done after approval, once',
    async ({ harness: name, text }) => {
      const harness = harnessNamed(name);
      const event = inProject(text).replace('*** Add File: new2.txt', `*** Add File: ${stage.project}/new2.txt`);
      const waiting = await answer(harness, event, gated());
      expect(harness.dialect.isDenial(waiting)).toBe(true);
      const id = /g_[a-z0-9]+/.exec(JSON.stringify(waiting))?.[0] ?? '';
      expect((await stage.approve(await stage.stored(id), { kind: 'once' })).status).toBe(200);
      expect(harness.dialect.isDenial(await answer(harness, event, gated()))).toBe(false);
      expect(harness.dialect.isDenial(await answer(harness, event, gated()))).toBe(true);
    },
  );

  it.each(fixtures.filter(({ tool }) => READING.includes(tool)))(
    '$file: reading runs in the project and is asked for outside',
    async (one) => {
      const harness = harnessNamed(one.harness);
      expect(harness.dialect.isDenial(await answer(harness, inProject(one.text), gated()))).toBe(false);
      const outside = one.text.replace('/home/ada/project/a.txt', '/etc/hostname').replace('"*"', '"/etc/*"');
      expect(outside).not.toBe(one.text);
      expect(harness.dialect.isDenial(await answer(harness, inProject(outside), gated()))).toBe(true);
    },
  );
});

describe('a path that begins with ~', () => {
  it.each([
    ['kimi', 'Read', { path: '~/.ssh/id_rsa' }],
    ['kimi', 'Glob', { pattern: '*', path: '~' }],
    ['kimi', 'Grep', { pattern: 'x', path: '~ada' }],
    ['cline', 'read_files', { files: [{ path: 'a.txt' }, { path: '~/.ssh/id_rsa' }] }],
    ['claude-code', 'Read', { file_path: '~/.ssh/id_rsa' }],
  ] as const)('%s %s %j is denied: it could mean a file that the request does not name', async (name, tool, input) => {
    const stage = await FileStage.open();
    try {
      const at = place({ openFiles: async () => success(stage.parts), cwd: stage.project });
      const harness = harnessNamed(name);
      const event = JSON.stringify(eventOf(harness, tool, input)).replaceAll(scratch, stage.project);
      const answered = await answer(harness, event, at);
      expect(harness.dialect.isDenial(answered)).toBe(true);
      expect(JSON.stringify(answered)).toContain('as an absolute path');
    } finally {
      await stage.close();
    }
  });
});

describe('commands', () => {
  const claude = harnessNamed('claude-code');

  it('what bash runs after the change is exactly the original, byte for byte', async () => {
    const units = fc.constantFrom(
      "'",
      '"',
      '\\',
      '\n',
      '\r',
      '\t',
      '$',
      '`',
      ' ',
      '!',
      '*',
      '~',
      ';',
      '\u0001',
      'é',
      '𐍈',
      'a',
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: units, minLength: 1, maxLength: 60 }), async (command) => {
        const call = commandInPlace(await answer(claude, eventOf(claude, 'Bash', { command })));
        expect(execFileSync('/bin/bash', ['-c', call ?? 'exit 9'], { encoding: 'utf8' })).toBe(command);
      }),
      { numRuns: 120 },
    );
  });

  it('of 100 kB on many lines arrives whole; of 1 MB it is denied with what to do', async () => {
    const long = "echo 'x' \\\n".repeat(7000);
    const call = commandInPlace(await answer(claude, eventOf(claude, 'Bash', { command: long })));
    expect(execFileSync('/bin/bash', ['-c', call ?? 'exit 9'], { encoding: 'utf8' })).toBe(long);
    const denied = await answer(claude, eventOf(claude, 'Bash', { command: 'x'.repeat(1 << 20) }));
    expect(claude.dialect.isDenial(denied)).toBe(true);
    expect(JSON.stringify(denied)).toContain('write it into a file');
  });

  it.each([
    ['a NUL', 'echo \0 x'],
    ['half a character', 'echo \ud800'],
  ])('with %s is denied', async (_, command) => {
    expect(claude.dialect.isDenial(await answer(claude, eventOf(claude, 'Bash', { command })))).toBe(true);
  });

  it('keep the other fields of the tool', async () => {
    const answered = await answer(
      claude,
      eventOf(claude, 'Bash', { command: 'x', timeout: 5, run_in_background: true }),
    );
    expect(answered).toMatchObject({
      hookSpecificOutput: { updatedInput: { timeout: 5, run_in_background: true, command: gatedCall(own.shell, 'x') } },
    });
  });

  it('that go through the gate already are not wrapped again; what only looks like it is', async () => {
    const call = gatedCall(own.shell, "echo 'a'");
    expect(commandInPlace(await answer(claude, eventOf(claude, 'Bash', { command: call })))).toBeNull();
    for (const posing of [`${call};id`, `x=1 ${call}`, `${own.control} grants run g_1 --wait; id`]) {
      const changed = commandInPlace(await answer(claude, eventOf(claude, 'Bash', { command: posing })));
      expect(changed).toBe(gatedCall(own.shell, posing));
    }
  });

  it('of Qwen Code pass where its bash is ours, and our own control calls always', async () => {
    const qwen = harnessNamed('qwen');
    mkdirSync(join(scratch, 'shims'), { recursive: true });
    symlinkSync(own.shell, join(scratch, 'shims/bash'));
    const shimmed = place({ environment: new Map([['PATH', Buffer.from(`${join(scratch, 'shims')}:/usr/bin:/bin`)]]) });
    const behind = place({ environment: new Map([['PATH', Buffer.from(`/usr/bin:/bin:${join(scratch, 'shims')}`)]]) });
    const event = eventOf(qwen, 'run_shell_command', { command: 'id' });
    expect(await answer(qwen, event, shimmed)).toEqual({});
    expect(qwen.dialect.isDenial(await answer(qwen, event, behind))).toBe(true);
    const control = { command: `${own.control} grants run g_1 --wait` };
    expect(await answer(qwen, eventOf(qwen, 'run_shell_command', control))).toEqual({});
    const posing = { command: `${own.control} grants run g_1 --wait;id` };
    expect(qwen.dialect.isDenial(await answer(qwen, eventOf(qwen, 'run_shell_command', posing)))).toBe(true);
  });
});

describe('Cline CLI', () => {
  const cline = harnessNamed('cline');
  const asked = (input: object) => answer(cline, eventOf(cline, 'run_commands', input));

  it('has each of several commands gated by itself, and none where one cannot be', async () => {
    expect(await asked({ commands: ['id', "echo 'a'"] })).toEqual({
      overrideInput: { commands: [gatedCall(own.shell, 'id'), gatedCall(own.shell, "echo 'a'")] },
    });
    const call = gatedCall(own.shell, 'id');
    expect(await asked({ commands: [call, call] })).toEqual({});
    expect(await asked({ commands: [call, 'id'] })).toEqual({ overrideInput: { commands: [call, call] } });
    expect(cline.dialect.isDenial(await asked({ commands: ['id', 'echo \0'] }))).toBe(true);
  });

  it.each(['command', 'cmd', 'commands'])('takes one command under %s', async (name) => {
    expect(await asked({ [name]: 'id' })).toEqual({ overrideInput: { [name]: gatedCall(own.shell, 'id') } });
  });

  it.each([
    [{ commands: ['id'], command: 'touch x' }],
    [{ command: 'id', cmd: 'touch x' }],
    [{ commands: [{ command: 'id' }] }],
    [{ commands: [] }],
    [{}],
  ])('denies %j, of which another reader could take another command', async (input) => {
    expect(cline.dialect.isDenial(await asked(input))).toBe(true);
  });
});

describe('the entry of one harness that another calls', () => {
  const GROK = JSON.parse(readFileSync(join(FIXTURES, 'grok.run_terminal_command.documented.json'), 'utf8')) as Record<
    string,
    unknown
  >;

  it.each(['claude-code', 'cursor'])('%s: closed, and the text says who called', async (name) => {
    const answered = await answerHook(harnessNamed(name), Buffer.from(JSON.stringify(GROK)), place());
    expect(answered.ok ? '' : answered.failure.message).toMatch(/DENIED.*but what Grok Build sends/);
  });

  it.each([true, 'yes', 1, null])('Grok Build: an input that was cut off (%j) is not answered', async (cut) => {
    const event = { ...GROK, toolInputTruncated: cut };
    expect((await answerHook(harnessNamed('grok'), Buffer.from(JSON.stringify(event)), place())).ok).toBe(cut === null);
  });
});

it('Cursor asks about a command a second time in other words, and gets the same answer', async () => {
  const cursor = harnessNamed('cursor');
  const ask = (command: string) =>
    answer(cursor, { hook_event_name: 'beforeShellExecution', command, cwd: scratch, workspace_roots: [scratch] });
  expect(cursor.dialect.isDenial(await ask('id'))).toBe(true);
  expect(await ask(gatedCall(own.shell, 'id'))).toEqual({ permission: 'allow' });
});

describe('tools', () => {
  it.each([
    ['cline', 'apply_patch', { input: '*** Begin Patch\n*** Add File: /a\n+x\n*** End Patch' }, 'a tool not seen'],
    ['cline', 'read_files', { file_paths: ['/etc/shadow'] }, 'another shape of a known tool'],
    ['cline', 'read_files', { files: [{ path: '/a' }], file_paths: ['/etc/shadow'] }, 'two shapes at once'],
    ['kimi', 'Write', { path: '/a', content: 'x', mode: 'prepend' }, 'a mode nobody knows'],
    ['kimi', 'CronCreate', { cron: '* * * * *', prompt: 'x' }, 'work later'],
    ['cursor', 'Write', { file_path: '/a', path: '/b', content: 'x' }, 'two paths'],
    ['cursor', 'EditNotebook', { path: '/a' }, 'a tool nobody knows'],
    ['goose', 'computercontroller__automation_script', { script: 'id' }, 'an extension that runs code'],
    ['goose', 'subagent', { prompt: 'x' }, 'a subagent that nobody saw asked about'],
    ['hermes', 'execute_code', { code: 'x' }, 'a tool that runs code'],
    ['hermes', 'patch', { path: '/a', patch: 'x' }, 'two shapes at once'],
    ['grok', 'monitor', { command: 'id' }, 'a command in another tool'],
    ['grok', 'search_replace', { file_path: '/a', target_file: '/b' }, 'two paths'],
    ['claude-code', 'Write', { file_path: '/x' }, 'a shape nobody knows'],
    ['claude-code', 'Bash', { command: ['id'] }, 'a command that is no text'],
    ['claude-code', 'NewTool', {}, 'a tool nobody knows'],
    ['claude-code', 'REPL', { code: 'x' }, 'a tool that runs code'],
    ['claude-code', 'constructor', {}, 'a name every object has'],
    [
      'codex',
      'Bash',
      { command: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: rel\n+x\n*** End Patch\nEOF" },
      'a relative patch',
    ],
    [
      'codex',
      'apply_patch',
      { command: '*** Begin Patch\n*** Add File: /a\n+x\n *** Delete File: /b\n*** End Patch' },
      'a hidden header',
    ],
    ['openclaw', 'process', { action: 'write', data: 'id\n' }, 'keys for a running program'],
    ['opencode', 'other_tool', {}, 'a tool of no server that is set up'],
    ['generic', 'fly', {}, 'a tool nobody knows'],
  ] as const)('%s %s %j is denied: %s', async (name, tool, input, _) => {
    const harness = harnessNamed(name);
    const answered = await answer(harness, eventOf(harness, tool, input));
    expect(harness.dialect.isDenial(answered)).toBe(true);
    // Not because nobody could be asked: it is not asked at all.
    expect(JSON.stringify(answered)).not.toContain('cannot be asked');
  });

  it('of Kimi Code that add to a file are asked for as a change, not as its whole content', () => {
    const input = { path: '/a', content: 'x', mode: 'append' };
    expect(readToolCall(harnessNamed('kimi').tools, 'Write', input, {})).toEqual({
      kind: 'files',
      operations: [{ verb: 'edit', path: '/a', input: JSON.stringify(input) }],
    });
  });

  it('of MCP servers and the web are not gated', async () => {
    const claude = harnessNamed('claude-code');
    expect(await answer(claude, eventOf(claude, 'mcp__apes__run', {}))).toEqual({});
    expect(await answer(claude, eventOf(claude, 'WebFetch', { url: 'http://x' }))).toEqual({});
    const opencode = harnessNamed('opencode');
    const event = { tool: 'my-srv_run', input: {}, cwd: scratch, servers: ['my-srv'] };
    expect(await answer(opencode, event)).toEqual({ decision: 'allow' });
  });
});
