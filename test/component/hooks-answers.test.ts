/**
 * The answers to each harness, for JSON that the harness really sends (`test/fixtures/hooks/`, recorded from the real agents). Files with
 * `documented` in their names are from the documentation of a harness that was not run to record them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
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
import { gatedCall } from '../../src/core/grant/own-call.ts';
import { failed, success } from '../../src/core/result.ts';
import { answerHook, type HookPlace } from '../../src/harness/answer-hook.ts';
import { gateShell } from '../../src/harness/gate-shell.ts';
import { readToolCall } from '../../src/harness/harness-tools.ts';
import { findHarness, HARNESS_NAMES, type SupportedHarness } from '../../src/harness/harnesses.ts';
import { FileStage } from './file-stage.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/hooks', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'ape-hooks-'));
const own = {
  shell: join(scratch, 'dist/bin/ape-shell'),
  installation: ['APES_HOME=/opt/apes', 'HOME=/home/ada'],
  isLedElsewhere: false,
};
const control = join(scratch, 'dist/bin/apes');
mkdirSync(join(scratch, 'dist/bin'), { recursive: true });
/** Prints exactly the arguments that it was started with. */
writeFileSync(
  own.shell,
  '#!/bin/sh\n[ "$#" = 4 ] && [ "$1" = --installation=APES_HOME=/opt/apes ] && [ "$3" = -c ] || exit 99\nprintf %s "$4"\n',
);
chmodSync(own.shell, 0o755);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const harnessNamed = (name: string): SupportedHarness => {
  const harness = findHarness(name);
  if (harness === null) throw new Error(name);
  return harness;
};

const place = (more: Partial<HookPlace> = {}): HookPlace => ({
  own,
  environment: new Map([['PATH', Buffer.from('/usr/bin:/bin')]]),
  cwd: scratch,
  openFiles: async () => failed(failure('unavailable', 'the grant server cannot be asked')),
  ungatedTools: async () => [],
  explain: (grant) => `pending ${grant.id} ${grant.url}`,
  ...more,
});

async function answer(
  harness: SupportedHarness,
  event: object | string,
  at = place(),
): Promise<Record<string, unknown>> {
  const input = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
  const answered = await answerHook(harness, input, at);
  if (!answered.ok) throw new Error(answered.failure.message);
  return JSON.parse(answered.value) as Record<string, unknown>;
}

const eventOf = (harness: SupportedHarness, tool: string, input: object): object =>
  harness.sample.make?.(tool, input as Record<string, unknown>, scratch) ??
  (harness.sample.event === null
    ? { tool, input, cwd: scratch }
    : { hook_event_name: harness.sample.event, tool_name: tool, tool_input: input, cwd: scratch });

/** Returns the command that the answer puts in place of the original command, or null. */
function commandInPlace(answered: Record<string, unknown>): string | null {
  const inner = (answered['hookSpecificOutput'] ?? answered) as Record<string, unknown>;
  const input = (inner['updatedInput'] ??
    inner['modifiedArgs'] ??
    inner['tool_input'] ??
    inner['overrideInput'] ??
    inner['input']) as { command?: string; commands?: readonly string[] } | undefined;
  return input?.command ?? input?.commands?.join('\n') ?? null;
}

const fixtures = readdirSync(FIXTURES).map((file) => {
  const [harness = '', tool = '', from] = basename(file, '.json').split('.');
  return { file, harness, tool, isDocumented: from === 'documented', text: readFileSync(join(FIXTURES, file), 'utf8') };
});
const SHELL_TOOLS = [
  ...['Bash', 'run_shell_command', 'bash', 'background_process', 'run_commands'],
  ...['Shell', 'developer__shell', 'terminal', 'run_terminal_command'],
];
const READING = ['Read', 'read_file', 'read', 'read_files', 'glob', 'Glob', 'Grep', 'grep', 'find', 'ls'];

describe.each(fixtures)('$file', ({ harness: name, tool, text }) => {
  const harness = harnessNamed(name);
  const isShell = SHELL_TOOLS.includes(tool);

  it(
    isShell ? 'becomes a gated call, or is denied with it' : 'is denied while the server cannot be asked',
    async () => {
      const answered = await answer(harness, text);
      if (!isShell) return expect(harness.dialect.isDenial(answered)).toBe(true);
      const call = gatedCall(own.shell, own.installation, 'echo tripwire');
      if (harness.dialect.replace === null) {
        expect(harness.dialect.isDenial(answered)).toBe(true);
        return expect(JSON.stringify(answered)).toContain(JSON.stringify(call).slice(1, -1));
      }
      return expect(commandInPlace(answered)).toBe(call);
    },
  );

  it('gets no answer if it comes as the event of another harness, or is cut short', async () => {
    for (const other of HARNESS_NAMES.map(harnessNamed))
      if (other.dialect.read(JSON.parse(text)) === null)
        expect(await answerHook(other, Buffer.from(text), place())).toMatchObject({ ok: false });
    expect(await answerHook(harness, Buffer.from(text.slice(0, -3)), place())).toMatchObject({ ok: false });
  });
});

it('a harness that was not run here has documented fixtures only, says so, and is never answered with another command', () => {
  for (const { harness: name, isDocumented } of fixtures)
    expect(isDocumented, name).toBe(harnessNamed(name).isTried === false);
  const untried = HARNESS_NAMES.map(harnessNamed).filter(({ isTried }) => isTried === false);
  expect(untried.map(({ name }) => name)).toEqual(['cursor', 'goose', 'hermes', 'grok']);
  for (const harness of untried) {
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
    '$file: the tool is denied while its request waits, and runs once after the approval',
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
    '$file: reading runs inside the project, and needs a grant outside',
    async (one) => {
      const harness = harnessNamed(one.harness);
      expect(harness.dialect.isDenial(await answer(harness, inProject(one.text), gated()))).toBe(false);
      const outside = one.text
        .replace('/home/ada/project/a.txt', '/etc/hostname')
        .replace(/"(paths?)": "\/home\/ada\/project"/, '"$1": "/etc"')
        .replace('"input": {},', '"input": {"path": "/etc"},')
        .replace('"*"', '"/etc/*"');
      expect(outside).not.toBe(one.text);
      expect(harness.dialect.isDenial(await answer(harness, inProject(outside), gated()))).toBe(true);
    },
  );
});

describe('web fetches, with a real grant server', () => {
  let stage: FileStage;
  beforeEach(async () => {
    stage = await FileStage.open();
  });
  afterEach(() => stage.close());

  const TOOLS = [
    ['claude-code', 'WebFetch', (url: string) => ({ url, prompt: 'sum it up' })],
    ['gemini', 'web_fetch', (url: string) => ({ prompt: `sum up ${url} in a line` })],
    ['qwen', 'web_fetch', (url: string) => ({ url, prompt: 'sum it up' })],
    ['opencode', 'webfetch', (url: string) => ({ url, format: 'markdown' })],
    ['openclaw', 'web_fetch', (url: string) => ({ url })],
    ['kilo', 'webfetch', (url: string) => ({ url, format: 'markdown' })],
    ['copilot', 'WebFetch', (url: string) => ({ url, max_length: 5000, raw: true })],
    ['copilot', 'web_fetch', (url: string) => ({ url, start_index: 5000 })],
    ['cline', 'fetch_web_content', (url: string) => ({ requests: [{ url, prompt: 'sum it up' }] })],
    ['kimi', 'FetchURL', (url: string) => ({ url })],
    ['hermes', 'web_extract', (url: string) => ({ urls: [url] })],
    ['grok', 'web_fetch', (url: string) => ({ url })],
    ['generic', 'fetch', (url: string) => ({ url })],
  ] as const;
  const at = (gatesFetches = true) =>
    place({ openFiles: async () => success({ ...stage.parts, gatesFetches }), cwd: stage.project });

  it.each(TOOLS)(
    '%s %s: needs a grant; an approval of its host covers it, but not an approval of another host',
    async (name, tool, input) => {
      const harness = harnessNamed(name);
      const fetching = async (url: string, where = at()) =>
        harness.dialect.isDenial(await answer(harness, eventOf(harness, tool, input(url)), where));
      const waiting = await answer(harness, eventOf(harness, tool, input('https://docs.example.com/a')), at());
      expect(harness.dialect.isDenial(waiting)).toBe(true);
      const id = /g_[a-z0-9]+/.exec(JSON.stringify(waiting))?.[0] ?? '';
      const grant = await stage.stored(id);
      expect(grant.request).toMatchObject({ kind: 'fetch', text: 'GET https://docs.example.com/a\n' });
      const scope = { kind: 'fetch', origins: ['https://docs.example.com'] };
      const body = { version: grant.version, term: { kind: 'always' }, scope };
      expect((await stage.server.call('POST', `/v1/grants/${id}/approve`, stage.owner, body)).status).toBe(200);
      expect(await fetching('https://docs.example.com/b?c')).toBe(false);
      expect(await fetching('http://docs.example.com/b')).toBe(true);
      expect(await fetching('https://docs.example.com.evil.com/')).toBe(true);
      expect(await fetching('https://docs.example.com@evil.com/')).toBe(true);
      expect(await fetching('file:///etc/passwd')).toBe(true);
      expect(await fetching('http://localhost:8080/')).toBe(true);
      expect(await fetching('http://localhost:8080/', at(false))).toBe(false);
      expect(await fetching('https://docs.example.com/b', place())).toBe(true);
    },
  );

  it.each([
    ['copilot', 'web_fetch', { url: 'https://a.example/', uri: 'https://b.example/' }, 'an unknown field'],
    ['cline', 'fetch_web_content', { url: 'https://a.example/' }, 'an unknown shape'],
    ['cline', 'fetch_web_content', { requests: [] }, 'no address'],
    ['cline', 'fetch_web_content', { requests: [{ url: 'https://a.example/' }, { prompt: 'x' }] }, 'a missing address'],
    ['hermes', 'web_extract', { urls: 'https://a.example/' }, 'an address in place of a list'],
  ] as [string, string, object, string][])('%s %s %j is denied: %s', async (name, tool, input) => {
    const harness = harnessNamed(name);
    const answered = await answer(harness, eventOf(harness, tool, input), at());
    expect(harness.dialect.isDenial(answered)).toBe(true);
    expect(JSON.stringify(answered)).not.toMatch(/\bg_[a-z2-7]{26}/);
  });

  it('several addresses of one call are one request, and each address counts', async () => {
    const cline = harnessNamed('cline');
    const requests = ['https://a.example/', 'https://b.example/'].map((url) => ({ url, prompt: 'sum it up' }));
    const waiting = await answer(cline, eventOf(cline, 'fetch_web_content', { requests }), at());
    const id = /g_[a-z0-9]+/.exec(JSON.stringify(waiting))?.[0] ?? '';
    expect((await stage.stored(id)).request.fetches?.map(({ origin }) => origin)).toEqual([
      'https://a.example',
      'https://b.example',
    ]);
  });

  it('no tool of a harness that fetches has a name that passes without the gate', () => {
    for (const name of HARNESS_NAMES)
      expect(
        harnessNamed(name).tools.ungated.filter((tool) =>
          /fetch(?!_copilot_cli_documentation)|extract|scrape/i.test(tool),
        ),
        name,
      ).toEqual([]);
  });

  it('an approved address does not cover another address in the same call', async () => {
    const gemini = harnessNamed('gemini');
    const input = { prompt: 'compare https://docs.example.com/a with https://evil.example.org/?secret' };
    const waiting = await answer(gemini, eventOf(gemini, 'web_fetch', input), at());
    const id = /g_[a-z0-9]+/.exec(JSON.stringify(waiting))?.[0] ?? '';
    expect((await stage.stored(id)).request.fetches?.map(({ origin }) => origin)).toEqual([
      'https://docs.example.com',
      'https://evil.example.org',
    ]);
    expect(gemini.dialect.isDenial(await answer(gemini, eventOf(gemini, 'web_fetch', { prompt: 'docs' }), at()))).toBe(
      true,
    );
  });
});

describe('a path that a harness may read in another way than the gate', () => {
  it.each([
    ['claude-code', 'Grep', { pattern: 'x', path: ' /etc' }],
    ['claude-code', 'Glob', { pattern: '*', path: ' ~/Documents' }],
    ['claude-code', 'Read', { file_path: '/home/ada/project/a.txt\n' }],
    ['gemini', 'read_file', { file_path: '/home/ada/project/%2eenv' }],
    ['gemini', 'write_file', { file_path: '/home/ada/project/%2egemini/settings.json', content: '{}' }],
    ['gemini', 'read_file', { file_path: 'file:///home/ada/project/.env' }],
    ['gemini', 'replace', { file_path: 'settings.json', old_string: 'a', new_string: 'b' }],
    ['qwen', 'read_file', { file_path: '/home/ada/project/a\\ b/x' }],
    ['qwen', 'grep_search', { pattern: 'x', path: 'a\\ b' }],
    ['generic', 'read', { path: 'file:etc/passwd' }],
    ['hermes', 'read_file', { path: 'a.txt' }],
    ['hermes', 'search_files', { pattern: 'x' }],
    ['hermes', 'patch', { patch: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch' }],
    ['grok', 'read_file', { target_file: 'a.txt' }],
    ['cursor', 'Read', { file_path: 'a.txt' }],
    ['openclaw', 'read', { path: '@/etc/passwd' }],
    ['openclaw', 'write', { path: '@/home/ada/.config/x', content: '' }],
    ['kimi', 'Read', { path: '~/.ssh/id_rsa' }],
    ['kimi', 'Glob', { pattern: '*', path: '~' }],
    ['kimi', 'Grep', { pattern: 'x', path: '~ada' }],
    ['cline', 'read_files', { files: [{ path: 'a.txt' }, { path: '~/.ssh/id_rsa' }] }],
    ['claude-code', 'Read', { file_path: '~/.ssh/id_rsa' }],
  ] as const)(
    '%s %s %j is denied, because it could mean a file that the request does not name',
    async (name, tool, input) => {
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
    },
  );
});

describe('a search', () => {
  it('of the contents of files whose names suggest secrets needs a grant, as reading such a file does', async () => {
    const stage = await FileStage.open();
    try {
      const at = place({ openFiles: async () => success(stage.parts), cwd: stage.project });
      const isAsked = async (name: string, tool: string, input: object) => {
        const harness = harnessNamed(name);
        const event = JSON.stringify(eventOf(harness, tool, input)).replaceAll(scratch, stage.project);
        return harness.dialect.isDenial(await answer(harness, event, at));
      };
      for (const glob of ['.env', '**/.env*', '*.{ts,pem}', '*.ts .npmrc', 'id_r?a'])
        expect([glob, await isAsked('claude-code', 'Grep', { pattern: 'x', glob })]).toEqual([glob, true]);
      for (const glob of ['*.ts', '**/*.{ts,tsx}', '!.env', 'src/**'])
        expect([glob, await isAsked('claude-code', 'Grep', { pattern: 'x', glob })]).toEqual([glob, false]);
      for (const glob of [['.env'], { a: '.env' }, 1])
        for (const [name, tool, field] of [
          ...[['claude-code', 'Grep', 'glob'] as const, ['claude-code', 'Glob', 'pattern'] as const],
          ...[['gemini', 'grep_search', 'include_pattern'] as const, ['opencode', 'grep', 'include'] as const],
          ...[['pi', 'grep', 'glob'] as const, ['qwen', 'grep_search', 'glob'] as const],
          ...[['kimi', 'Grep', 'glob'] as const, ['copilot', 'Grep', 'glob'] as const],
        ])
          expect([name, glob, await isAsked(name, tool, { pattern: 'x', [field]: glob })]).toEqual([name, glob, true]);
      expect(await isAsked('claude-code', 'Glob', { pattern: '**/.env' })).toBe(false);
      expect(await isAsked('gemini', 'read_many_files', { include: ['src/*.ts', '.env'] })).toBe(true);
      expect(await isAsked('gemini', 'read_many_files', { include: ['src/*.ts'] })).toBe(false);
      expect(await isAsked('opencode', 'grep', { pattern: 'x', include: '*.key' })).toBe(true);
    } finally {
      await stage.close();
    }
  });
});

describe('commands', () => {
  const claude = harnessNamed('claude-code');

  it('are run by bash exactly as they were, byte for byte, after the change', async () => {
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
    const commands = fc.sample(fc.string({ unit: units, minLength: 1, maxLength: 60 }), 120);
    const calls = await Promise.all(
      commands.map(async (command) => commandInPlace(await answer(claude, eventOf(claude, 'Bash', { command })))),
    );
    // One bash evaluates all commands, because starting a process from this large one is slow.
    const evaluateEach = `for call; do (eval "$call"); printf '\\0'; done`;
    const words = ['-c', evaluateEach, 'bash', ...calls.map((call) => call ?? 'exit 9')];
    expect(execFileSync('/bin/bash', words, { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(commands);
  });

  it('of 100 kB on many lines arrive whole; a command of 1 MB is denied with advice what to do', async () => {
    const long = "echo 'x' \\\n".repeat(5900);
    const call = commandInPlace(await answer(claude, eventOf(claude, 'Bash', { command: long })));
    expect(execFileSync('/bin/bash', ['-c', call ?? 'exit 9'], { encoding: 'utf8' })).toBe(long);
    const denied = await answer(claude, eventOf(claude, 'Bash', { command: 'x'.repeat(1 << 20) }));
    expect(claude.dialect.isDenial(denied)).toBe(true);
    expect(JSON.stringify(denied)).toContain('write it into a file');
  });

  it.each([
    ['a NUL', 'echo \0 x'],
    ['half a character', 'echo \ud800'],
  ])('are denied with %s', async (_, command) => {
    expect(claude.dialect.isDenial(await answer(claude, eventOf(claude, 'Bash', { command })))).toBe(true);
  });

  it("keep the other fields of the tool's input", async () => {
    const answered = await answer(
      claude,
      eventOf(claude, 'Bash', { command: 'x', timeout: 5, run_in_background: true }),
    );
    expect(answered).toMatchObject({
      hookSpecificOutput: {
        updatedInput: { timeout: 5, run_in_background: true, command: gatedCall(own.shell, own.installation, 'x') },
      },
    });
  });

  it('that already go through the gate are not wrapped again; commands that only resemble them are wrapped', async () => {
    const call = gatedCall(own.shell, own.installation, "echo 'a'");
    expect(commandInPlace(await answer(claude, eventOf(claude, 'Bash', { command: call })))).toBeNull();
    const elsewhere = gatedCall(own.shell, ['APES_HOME=/tmp/eve', 'HOME=/home/ada'], 'id');
    for (const posing of [
      `${call};id`,
      `x=1 ${call}`,
      elsewhere,
      gatedCall(own.shell, [], 'id'),
      `${control} grants run g_1`,
    ]) {
      const changed = commandInPlace(await answer(claude, eventOf(claude, 'Bash', { command: posing })));
      expect(changed).toBe(gatedCall(own.shell, own.installation, posing));
    }
  });

  /** U+200B and U+2060 are invisible; the others are blanks for JavaScript. bash takes each as a part of a word. */
  const NO_BLANKS = '\r\v\f\u0085\u00a0\u1680\u2000\u2007\u2028\u2029\u202f\u205f\u3000\ufeff\u200b\u2060';
  const framed = (command: string, file: string) =>
    `shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file=${file}\n(\n  trap 'jobs -p > "$_bgpids_file"' EXIT\n${command}\n)\n__code=$?\nexit $__code`;

  it.each(HARNESS_NAMES)('of %s pass only if they are byte for byte the call', (name) => {
    const harness = harnessNamed(name);
    const call = gatedCall(own.shell, own.installation, 'id');
    /** The call that has to be made in place of the command; null: the command passes as it is. */
    const callInstead = (command: string): string | null => {
      const verdict = gateShell(harness, command, own, place().environment);
      if (verdict.kind === 'denied') return verdict.reason.replace(/^.*with exactly this command:\n/, '');
      return verdict.kind === 'instead' ? verdict.command : null;
    };
    expect(callInstead(call)).toBeNull();
    const file = '/tmp/gemini-shell-R5Y3Mr/bgpids.tmp';
    const posing = [
      ...[...NO_BLANKS].flatMap((one) => [
        `${one}${call}`,
        `${call}${one}`,
        ` ${one}\n${call}`,
        call.replace(' ', one),
      ]),
      ...[file, '/etc/passwd', "'/etc/passwd'", '$(id)'].map((each) => framed(call, each)),
      ...[`${call} #`, `#\n${call}`, `${call}\\`, `\\\n${call}`, `${call} \\\n`, `${call}; id`, `${call} <<'E'\nE`],
      call.replace(own.shell, own.shell.replace('/dist/', '/x/../dist/')),
      call.replace(own.shell, `.${own.shell}`),
      call.replace(` '`, `  '`),
      call.replace('-c', '\u2010c'),
    ];
    for (const each of posing)
      expect(callInstead(each), JSON.stringify(each)).toBe(gatedCall(own.shell, own.installation, each));
    for (const blank of [' ', '\t', '\n', ' \t\n'])
      for (const each of [`${blank}${call}`, `${call}${blank}`]) expect(callInstead(each)).toBe(call);
  });

  it('of Qwen Code pass if its bash is ours and asks this installation; otherwise the answer names the call to make', async () => {
    const qwen = harnessNamed('qwen');
    mkdirSync(join(scratch, 'shims'), { recursive: true });
    symlinkSync(own.shell, join(scratch, 'shims/bash'));
    const shimmed = place({ environment: new Map([['PATH', Buffer.from(`${join(scratch, 'shims')}:/usr/bin:/bin`)]]) });
    const behind = place({ environment: new Map([['PATH', Buffer.from(`/usr/bin:/bin:${join(scratch, 'shims')}`)]]) });
    const event = eventOf(qwen, 'run_shell_command', { command: 'id' });
    expect(await answer(qwen, event, shimmed)).toEqual({});
    for (const relative of ['.', '', 'node_modules/.bin', 'no/such/folder']) {
      const path = `/nonexistent:${relative}:${join(scratch, 'shims')}:/usr/bin:/bin`;
      const led = place({ environment: new Map([['PATH', Buffer.from(path)]]) });
      expect(qwen.dialect.isDenial(await answer(qwen, event, led)), relative).toBe(true);
    }
    const late = place({ environment: new Map([['PATH', Buffer.from(`${join(scratch, 'shims')}:/bin:.`)]]) });
    expect(await answer(qwen, event, late)).toEqual({});
    expect(qwen.dialect.isDenial(await answer(qwen, event, behind))).toBe(true);
    const led = place({ environment: shimmed.environment, own: { ...own, isLedElsewhere: true } });
    expect(JSON.stringify(await answer(qwen, event, led))).toContain('lead to another installation');
    for (const command of ['id', `${control} grants run g_1 --wait`]) {
      const answered = await answer(qwen, eventOf(qwen, 'run_shell_command', { command }));
      expect(qwen.dialect.isDenial(answered)).toBe(true);
      const call = gatedCall(own.shell, own.installation, command);
      expect(JSON.stringify(answered)).toContain(JSON.stringify(call).slice(1, -1));
      expect(await answer(qwen, eventOf(qwen, 'run_shell_command', { command: call }))).toEqual({});
    }
  });
});

describe('Cline CLI', () => {
  const cline = harnessNamed('cline');
  const asked = (input: object) => answer(cline, eventOf(cline, 'run_commands', input));

  it('gates each of several commands separately, and denies all of them if one cannot be gated', async () => {
    expect(await asked({ commands: ['id', "echo 'a'"] })).toEqual({
      overrideInput: {
        commands: [gatedCall(own.shell, own.installation, 'id'), gatedCall(own.shell, own.installation, "echo 'a'")],
      },
    });
    const call = gatedCall(own.shell, own.installation, 'id');
    expect(await asked({ commands: [call, call] })).toEqual({});
    expect(await asked({ commands: [call, 'id'] })).toEqual({ overrideInput: { commands: [call, call] } });
    expect(cline.dialect.isDenial(await asked({ commands: ['id', 'echo \0'] }))).toBe(true);
  });

  it.each(['command', 'cmd', 'commands'])('gates a single command in the member %s', async (name) => {
    expect(await asked({ [name]: 'id' })).toEqual({
      overrideInput: { [name]: gatedCall(own.shell, own.installation, 'id') },
    });
  });

  it.each([
    [{ commands: ['id'], command: 'touch x' }],
    [{ command: 'id', cmd: 'touch x' }],
    [{ commands: [{ command: 'id' }] }],
    [{ commands: [] }],
    [{}],
  ])('denies %j, from which another reader could take another command', async (input) => {
    expect(cline.dialect.isDenial(await asked(input))).toBe(true);
  });
});

describe('the hook entry of one harness that another harness calls', () => {
  const GROK = JSON.parse(readFileSync(join(FIXTURES, 'grok.run_terminal_command.documented.json'), 'utf8')) as Record<
    string,
    unknown
  >;

  it.each(['claude-code', 'cursor'])('%s: denies, and the text names the harness that called', async (name) => {
    const answered = await answerHook(harnessNamed(name), Buffer.from(JSON.stringify(GROK)), place());
    expect(answered.ok ? '' : answered.failure.message).toMatch(/DENIED.*Grok Build sent it/);
  });

  it.each([true, 'yes', 1, null])(
    'Grok Build: an input is answered only if it is not marked as cut off (toolInputTruncated is %j)',
    async (cut) => {
      const event = { ...GROK, toolInputTruncated: cut };
      expect((await answerHook(harnessNamed('grok'), Buffer.from(JSON.stringify(event)), place())).ok).toBe(
        cut === null,
      );
    },
  );
});

it('Cursor asks about a command a second time in another form, and gets the same answer', async () => {
  const cursor = harnessNamed('cursor');
  const ask = (command: string) =>
    answer(cursor, { hook_event_name: 'beforeShellExecution', command, cwd: scratch, workspace_roots: [scratch] });
  expect(cursor.dialect.isDenial(await ask('id'))).toBe(true);
  expect(await ask(gatedCall(own.shell, own.installation, 'id'))).toEqual({ permission: 'allow' });
});

describe('tools', () => {
  it.each([
    [
      'cline',
      'apply_patch',
      { input: '*** Begin Patch\n*** Add File: /a\n+x\n*** End Patch' },
      'a tool that was never seen',
    ],
    ['cline', 'read_files', { file_paths: ['/etc/shadow'] }, 'another shape of a known tool'],
    ['cline', 'read_files', { files: [{ path: '/a' }], file_paths: ['/etc/shadow'] }, 'two shapes at once'],
    ['kimi', 'Write', { path: '/a', content: 'x', mode: 'prepend' }, 'an unknown mode'],
    ['kimi', 'CronCreate', { cron: '* * * * *', prompt: 'x' }, 'work at a later time'],
    ['cursor', 'Write', { file_path: '/a', path: '/b', content: 'x' }, 'two paths'],
    ['cursor', 'EditNotebook', { path: '/a' }, 'an unknown tool'],
    ['goose', 'computercontroller__automation_script', { script: 'id' }, 'an extension that runs code'],
    ['goose', 'subagent', { prompt: 'x' }, 'a subagent, for which no hook was seen to be called'],
    ['hermes', 'execute_code', { code: 'x' }, 'a tool that runs code'],
    ['hermes', 'patch', { path: '/a', patch: 'x' }, 'two shapes at once'],
    ['grok', 'monitor', { command: 'id' }, 'a command in another tool'],
    ['grok', 'search_replace', { file_path: '/a', target_file: '/b' }, 'two paths'],
    ['claude-code', 'Write', { file_path: '/x' }, 'an unknown shape'],
    ['claude-code', 'Bash', { command: ['id'] }, 'a command that is not a string'],
    ['claude-code', 'NewTool', {}, 'an unknown tool'],
    ['claude-code', 'REPL', { code: 'x' }, 'a tool that runs code'],
    ['claude-code', 'constructor', {}, 'a name that every JavaScript object has'],
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
    [
      'codex',
      'apply_patch',
      { command: '*** Begin Patch\n*** Update File: /a\n@@\n x\n\u0085*** Delete File: /b\n*** End Patch' },
      'a header behind a character that is a blank for Codex, and none for JavaScript',
    ],
    ...([...'\t\x1c\u0085\u00a0\u2028\u3000\ufeff'] as const).map(
      (blank) =>
        [
          'codex',
          'apply_patch',
          { command: `*** Begin Patch\n*** Update File: /a/.git/hooks/x${blank}\n@@\n-x\n+y\n*** End Patch` },
          'a path that ends in a character which another reader of patches drops',
        ] as const,
    ),
    ['openclaw', 'process', { action: 'write', data: 'id\n' }, 'keys for a running program'],
    ['openclaw', 'exec', { command: 'id', env: { APES_HOME: '/tmp/x' } }, 'variables that choose an installation'],
    ['openclaw', 'exec', { command: 'id', env: 'A=b' }, 'variables of an unknown form'],
    ['openclaw', 'exec', { command: 'id', host: 'node', node: 'mac' }, 'another machine'],
    ['openclaw', 'exec', { command: 'id', host: 'sandbox' }, 'a container without the gate'],
    ['openclaw', 'exec', { command: 'id', cmd: 'ls' }, 'a second command'],
    ['claude-code', 'Bash', { command: 'id', env: { PATH: '/tmp' } }, 'variables'],
    ['hermes', 'terminal', { command: 'id', environment: ['PATH=/tmp'] }, 'a list of variables'],
    ['goose', 'shell', { command: 'id', env: 'PATH=/tmp' }, 'variables in a text'],
    ['kimi', 'Bash', { command: 'id', shell: '/tmp/sh' }, 'another shell'],
    ['gemini', 'run_shell_command', { command: 'id', runner: '/tmp/sh' }, 'a member that was not examined'],
    ['opencode', 'other_tool', {}, 'a tool of no server that is set up'],
    ['kilo', 'cron_create', { prompt: 'x', delay: '1s' }, 'work at a later time'],
    ['kilo', 'background_process', { action: 'begin', command: 'id' }, 'an unknown action'],
    ['generic', 'fly', {}, 'an unknown tool'],
    ['copilot', 'view', { path: '/x' }, 'its own name for a tool, which it sends under another name'],
    ['copilot', 'Read', { path: 'a', file_path: '/etc/shadow' }, 'an unknown field'],
    [
      'copilot',
      'Edit',
      { path: 'a', old_str: 'a', new_str: 'b', patch: '*** Begin Patch' },
      'an edit that poses as a patch',
    ],
    [
      'copilot',
      'Edit (patch)',
      { patch: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch' },
      'a name that only our code uses',
    ],
    ['copilot', 'write_bash', { shellId: '1', input: 'id{enter}' }, 'keys for a running program'],
    ['copilot', 'extension_tool', {}, 'a tool of an extension'],
    ['pi', 'read', { path: '@/etc/shadow' }, 'a path that pi reads in its own way'],
    ['pi', 'read', { path: '~/.ssh/id_ed25519' }, 'a path that pi expands'],
    ['pi', 'read', { path: '/x\u00a0y' }, 'a blank that pi replaces'],
    ['pi', 'write', { path: 'a', content: 'x' }, 'a path that came past the extension'],
    ['pi', 'edit', { path: '/a', edits: '[]' }, 'edits that are not a list'],
    ['pi', 'codemode', { code: '1' }, 'a tool that runs code'],
    ['pi', 'fly', {}, 'a tool of another extension'],
  ] as const)('%s %s %j is denied: %s', async (name, tool, input, _) => {
    const harness = harnessNamed(name);
    const answered = await answer(harness, eventOf(harness, tool, input));
    expect(harness.dialect.isDenial(answered)).toBe(true);
    // The gate denies these calls by itself. A call for which it needs the server would get "cannot be asked", as no server runs here.
    expect(JSON.stringify(answered)).not.toContain('cannot be asked');
  });

  it.each([
    ['ends before its last line', "'EOF'", 'EOF'],
    ['has another end for bash, after a blank that bash does not know', "\u00a0'EOF'", '\u00a0EOF'],
    ['has another end for bash, after a carriage return', "\r'EOF'", '\rEOF'],
  ])('of Codex are commands, and no patch, if the here-document %s', async (_, word, end) => {
    const codex = harnessNamed('codex');
    const command = `apply_patch <<${word}\n*** Begin Patch\n*** Update File: /a\n@@\n x\n${end}\necho ran\n*** End Patch\nEOF`;
    // bash runs the line after the end as a command of its own.
    const said = spawnSync('/bin/bash', ['-c', `apply_patch() { cat >/dev/null; }\n${command}`], {
      encoding: 'utf8',
      env: { LC_ALL: 'C.UTF-8', PATH: '/usr/bin:/bin' },
    });
    expect(said.stdout).toBe('ran\n');
    const answered = await answer(codex, eventOf(codex, 'Bash', { command }));
    expect(commandInPlace(answered)).toBe(gatedCall(own.shell, own.installation, command));
  });

  it.each([
    ['claude-code', 'Write', { file_path: '/a', content: 'x', append: true }],
    ['claude-code', 'Write', { file_path: '/a', content: 'x', path: '/b' }],
    ['claude-code', 'Write', { file_path: '/a', content: 'x', mode: 493 }],
    ['claude-code', 'Edit', { file_path: '/a', old_string: 'x', new_string: 'y', encoding: 'utf16le' }],
    ['claude-code', 'MultiEdit', { file_path: '/a', edits: [{ old_string: 'x', new_string: 'y' }], regex: true }],
    ['claude-code', 'MultiEdit', { file_path: '/a', edits: [{ old_string: 'x', new_string: 'y', regex: true }] }],
    ['openclaw', 'edit', { path: '/a', edits: [{ oldText: 'x', newText: 'y' }], oldText: 'z' }],
    ['kimi', 'Write', { path: '/a', content: 'x', encoding: 'latin1' }],
  ])('the request has the whole input of %s %s with a member that is not known: %j', (name, tool, input) => {
    const whole = { verb: 'edit', path: '/a', input: JSON.stringify(input) };
    const read = readToolCall(harnessNamed(name).tools, tool, input, {});
    expect(read).toMatchObject({ kind: 'files', operations: [whole] });
    expect(read).not.toHaveProperty('operations.0.replacements');
  });

  it.each([
    ['claude-code', 'Write', { file_path: '/a', content: 'x', path: '/b' }],
    ['claude-code', 'Write', { file_path: '/a', content: 'x', directory: 'b' }],
    ['claude-code', 'Edit', { file_path: '/a', old_string: 'x', new_string: 'y', target: { file: 'b' } }],
    ['claude-code', 'MultiEdit', { file_path: '/a', edits: [{ old_string: 'x', new_string: 'y', file_path: '/b' }] }],
    ['claude-code', 'NotebookEdit', { notebook_path: '/a', cell_id: 'c', new_source: 'x', paths: ['/b'] }],
    ['qwen', 'notebook_edit', { notebook_path: '/a', new_source: 'x', workspace: '/b' }],
    ['kimi', 'Write', { path: '/a', content: 'x', mode: 'append', root: '/b' }],
    ['cursor', 'Write', { path: '/a', contents: 'x', working_directory: '/b' }],
    ['goose', 'edit', { path: '/a', before: 'x', after: 'y', file: '/b' }],
    ['grok', 'search_replace', { file_path: '/a', old_string: 'x', new_string: 'y', files: { '/b': true } }],
    ['hermes', 'patch', { path: '/a', old_string: 'x', new_string: 'y', cross_profile: 'b' }],
  ])('no directory covers %s %s with a member that may name another file: %j', (name, tool, input) => {
    const read = (call: object) => readToolCall(harnessNamed(name).tools, tool, call as Record<string, unknown>, {});
    expect(read(input)).toMatchObject({ operations: [{ path: '/a', mayBeElsewhere: true }] });
    const known = Object.fromEntries(Object.entries(input).slice(0, -1));
    if (tool !== 'MultiEdit') expect(read(known)).not.toHaveProperty('operations.0.mayBeElsewhere');
  });

  it.each([
    ['claude-code', 'Read', { file_path: 'a', path: '/etc/shadow' }, ['a', '/etc/shadow']],
    ['gemini', 'read_file', { file_path: 'a', absolute_path: '/b', offset: 3 }, ['a', '/b']],
    ['gemini', 'glob', { pattern: '*', path: '/b', case_sensitive: true }, ['.', '/b']],
    ['gemini', 'list_directory', { path: '../b' }, ['.', '../b', '../b']],
    ['gemini', 'read_many_files', { include: ['a'], paths: ['/b'] }, ['.', '/b']],
    ['gemini', 'grep_search', { pattern: 'x', exclude_pattern: '/b/*', names_only: true }, ['.']],
    ['opencode', 'list', { directory: '/b' }, ['.', '/b']],
    ['opencode', 'grep', { pattern: '/x/', include: '*.ts', roots: { '/b': 1 } }, ['.', '/b']],
    ['openclaw', 'read', { path: 'a', file_path: '/b' }, ['a', '/b']],
    ['kimi', 'Grep', { pattern: 'x', output_mode: 'content', type: 'ts', '-A': 3, cwd: '/b' }, ['.', '/b']],
    ['cursor', 'Grep', { pattern: 'x', path: '/a', glob: '*.ts' }, ['/a']],
    ['cursor', 'Grep', { pattern: 'x', path: '/a', glob: '.env*' }, ['/a', '.env*']],
    ['cursor', 'Delete', { path: '/a', root: '/b' }, ['/a', '/b']],
    ['hermes', 'search_files', { pattern: 'x', path: '/a', target: 'files', file_glob: '*.py' }, ['/a']],
    ['generic', 'read', { path: 'a', range: '1-5' }, ['a', '1-5']],
  ])('%s %s %j names also the places of members that are not known', (name, tool, input, places) => {
    const read = readToolCall(harnessNamed(name).tools, tool, input, {});
    expect(read.kind === 'files' && read.operations.map(({ path }) => path)).toEqual([...new Set(places)]);
  });

  it.each([
    ['claude-code', 'Read', { file_path: 'a', uri: 'file:///etc/shadow' }],
    ['claude-code', 'Glob', { pattern: '*', roots: Array.from({ length: 60 }, (_, at) => `/${at}`) }],
    ['hermes', 'search_files', { pattern: 'x', path: '/a', target: '/b' }],
    ['cline', 'editor', { path: '/a', new_text: 'x', file: '/b' }],
  ])('%s %s with a member that cannot be understood has an unknown shape', (name, tool, input) =>
    expect(readToolCall(harnessNamed(name).tools, tool, input, {}).kind).toBe('unknown'),
  );

  it('an address in a member that is not known counts too', () => {
    const input = { url: 'https://a.example/', prompt: 'as in https://c.example/', uri: 'https://b.example/' };
    const urls = ['https://a.example/', 'https://b.example/'];
    expect(readToolCall(harnessNamed('claude-code').tools, 'WebFetch', input, {})).toEqual({ kind: 'fetches', urls });
  });

  it.each([
    [
      'claude-code',
      'Write',
      { file_path: '/a', content: 'x', append: false, description: 'a text', id: null },
      'write',
    ],
    ['claude-code', 'Edit', { file_path: '/a', old_string: 'x', new_string: 'y', replace_all: true }, 'edit'],
    ['gemini', 'replace', { file_path: '/a', old_string: 'x', new_string: 'y', instruction: 'why' }, 'edit'],
    ['kimi', 'Write', { path: '/a', content: 'x', mode: 'overwrite' }, 'write'],
  ])('a member without an effect leaves the new text or the diff of %s %s: %j', (name, tool, input, verb) => {
    const read = readToolCall(harnessNamed(name).tools, tool, input, {});
    expect(read).toMatchObject({
      operations: [verb === 'write' ? { verb, content: 'x' } : { verb, replacements: [{}] }],
    });
  });

  it('of Kimi Code that append to a file become a request for a change, not for its whole content', () => {
    const input = { path: '/a', content: 'x', mode: 'append' };
    expect(readToolCall(harnessNamed('kimi').tools, 'Write', input, {})).toEqual({
      kind: 'files',
      operations: [{ verb: 'edit', path: '/a', input: JSON.stringify(input) }],
    });
  });

  it('of Copilot get no unknown field when their command is replaced', async () => {
    const copilot = harnessNamed('copilot');
    const input = { command: 'id', mode: 'async', cmd: 'rm -rf /' };
    const call = { command: gatedCall(own.shell, own.installation, 'id'), mode: 'async' };
    expect(await answer(copilot, eventOf(copilot, 'Bash', input))).toEqual({
      permissionDecision: 'allow',
      modifiedArgs: call,
    });
  });

  it("of Copilot that search count every place that their text may mean; pi's read tool counts every name that it may try", () => {
    const places = (name: string, tool: string, input: Record<string, unknown>): readonly string[] => {
      const call = readToolCall(harnessNamed(name).tools, tool, input, {});
      return call.kind === 'files' ? call.operations.map(({ path }) => path) : [];
    };
    expect(places('copilot', 'Grep', { pattern: 'x', paths: 'src ..' })).toEqual(['src ..', 'src', '..']);
    expect(places('copilot', 'Glob', { pattern: '*', paths: ['a'], path: '/b' })).toEqual(['a', '/b']);
    expect(places('copilot', 'Glob', { pattern: '../*', paths: ['a'] })).toEqual(['a', 'a/../', '../']);
    expect(places('claude-code', 'Glob', { pattern: '../../.ssh/*', path: '/p' })).toEqual([
      '/p',
      '/p/../../.ssh/',
      '../../.ssh/',
    ]);
    expect(places('copilot', 'Grep', { pattern: '../x' })).toEqual(['.']);
    const leading = [
      '.{.,a}/x',
      '[.][.]/x',
      '\\.\\./x',
      '.@(.|a)/x',
      '+(.)/x',
      '.?(a)./x',
      '{\\},..,\\{}/x',
      '.[].]/x',
      '.[!]a]/x',
      '.[[.].]/x',
      '.[\t-z]/x',
      '\\/etc/*',
      '{a,{b,/etc}}/*',
    ];
    for (const pattern of leading)
      expect([pattern, places('claude-code', 'Glob', { pattern }).at(-1)]).toEqual([pattern, '/']);
    expect(places('claude-code', 'Glob', { pattern: '/p/.{.,a}/x' })).toEqual(['.', '/']);
    for (const pattern of [
      '**/*.{ts,tsx}',
      'src/[a-z]*.[ch]',
      'app/(auth)/**/*.ts',
      '*.@(js|ts)',
      '{a,b}/{1..3}.ts',
      '.github/*.{yml,yaml}',
    ])
      expect([pattern, places('claude-code', 'Glob', { pattern })]).toEqual([pattern, ['.']]);
    expect(places('pi', 'read', { path: '/p/a.txt' })).toEqual(['/p/a.txt']);
    expect(places('pi', 'read', { path: "/p/don't" })).toEqual(["/p/don't", '/p/don\u2019t']);
  });

  it.each([
    ['plugins', { action: 'disable', pluginId: 'ape-shell-gate' }],
    ['automations', { action: 'add' }],
    ['terminal', {}],
    ['a_plugin_brings_it', {}],
    ['my-server__run', {}],
    ['sessions_spawn', { runtime: 'acp', task: 'x' }],
    ['ls', { path: 7 }],
  ])('openclaw %s %j is denied', async (tool, input) => {
    const openclaw = harnessNamed('openclaw');
    expect(openclaw.dialect.isDenial(await answer(openclaw, eventOf(openclaw, tool, input)))).toBe(true);
  });

  it('of openclaw that run a command keep the members that do not change what runs', async () => {
    const openclaw = harnessNamed('openclaw');
    const others = { workdir: '/home/ada/project', yieldMs: 10, background: true, timeout: 9, pty: true, ask: 'off' };
    const input = { command: 'id', host: 'gateway', env: {}, ...others };
    expect(await answer(openclaw, eventOf(openclaw, 'exec', input))).toEqual({
      decision: 'allow',
      input: { command: gatedCall(own.shell, own.installation, 'id'), ...others },
    });
  });

  it('of openclaw that change nothing here pass; a tool that lists directories needs a grant', async () => {
    const openclaw = harnessNamed('openclaw');
    for (const [tool, input] of [
      ['session_status', {}],
      ['sessions_spawn', { task: 'x' }],
      ['update_goal', { status: 'complete' }],
    ] as const)
      expect(await answer(openclaw, eventOf(openclaw, tool, input))).toEqual({ decision: 'allow' });
    const looked = await answer(openclaw, eventOf(openclaw, 'ls', { path: '/root' }));
    expect(looked).toMatchObject({ decision: 'deny', reason: expect.stringContaining('cannot be asked') });
  });

  it('with unknown names pass only if the user named them', async () => {
    const named = place({ ungatedTools: async () => ['weather', 'my-server__*'] });
    const openclaw = harnessNamed('openclaw');
    const isDenied = async (tool: string, input = {}): Promise<boolean> =>
      openclaw.dialect.isDenial(await answer(openclaw, eventOf(openclaw, tool, input), named));
    for (const tool of ['weather', 'my-server__run']) expect(await isDenied(tool), tool).toBe(false);
    for (const tool of ['weather2', 'my-server', 'other__run', 'plugins'])
      expect(await isDenied(tool), tool).toBe(true);
    const all = place({ ungatedTools: async () => ['plugins', 'process', 'exec*'] });
    for (const [tool, input] of [
      ['plugins', {}],
      ['process', { action: 'write' }],
    ] as const)
      expect(openclaw.dialect.isDenial(await answer(openclaw, eventOf(openclaw, tool, input), all)), tool).toBe(true);
  });

  it('of Gemini CLI get the input that was judged again: otherwise the input of another hook would run', async () => {
    const gemini = harnessNamed('gemini');
    const call = { command: gatedCall(own.shell, own.installation, 'id') };
    const output = (input: object) => ({ hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: input } });
    expect(await answer(gemini, eventOf(gemini, 'run_shell_command', call))).toEqual(output(call));
    expect(await answer(gemini, eventOf(gemini, 'write_todos', { todos: [] }))).toEqual(output({ todos: [] }));
  });

  it('of MCP servers, and searches on the web, are not gated', async () => {
    const claude = harnessNamed('claude-code');
    expect(await answer(claude, eventOf(claude, 'mcp__apes__run', {}))).toEqual({});
    expect(await answer(claude, eventOf(claude, 'WebSearch', { query: 'x' }))).toEqual({});
    const opencode = harnessNamed('opencode');
    const event = { tool: 'my-srv_run', input: {}, cwd: scratch, servers: ['my-srv'] };
    expect(await answer(opencode, event)).toEqual({ decision: 'allow' });
  });
});
