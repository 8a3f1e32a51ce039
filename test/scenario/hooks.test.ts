/** `apes hooks install|remove|check` on real files: entries of the user stay, and a removal restores the files byte for byte. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSwitches } from '../../src/harness/switched-off.ts';
import { programPath } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';

const APES = programPath('apes');
const DIST = dirname(APES);

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ape-hooks-home-'));
  mkdirSync(join(home, 'project'));
});
afterEach(() => removeInstallation(home));

const apes = (...args: readonly string[]) => apesIn({}, ...args);

function apesIn(more: Record<string, string>, ...args: readonly string[]) {
  const env = { ...more, HOME: home, APES_HOME: join(home, 'apes'), PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync(APES, ['hooks', ...args], {
    cwd: join(home, 'project'),
    env,
    encoding: 'utf8',
    timeout: 150_000,
  });
  return { status, out: stdout, err: stderr };
}

const read = (path: string): string => readFileSync(join(home, path), 'utf8');

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

/** Every file and link below home, except our own installation. */
const everything = (): string[] =>
  readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/^apes(\/|$)/.test(path) && !lstatSync(join(home, path)).isDirectory())
    .map((path) => `${path}: ${readFileSync(join(home, path), 'utf8')}`)
    .sort();

const PLAIN = '{"model":"x","hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}';
const COMMENTED = '{\n\t// mine\n\t"model": "x",\n\t"hooks": {\n\t\t"Stop": [] // none\n\t},\n}\n';
const CASES: readonly (readonly [string, string, string])[] = [
  ['claude-code', '.claude/settings.json', PLAIN],
  ['codex', '.codex/hooks.json', '{}\n'],
  ['gemini', '.gemini/settings.json', COMMENTED],
  ['qwen', '.qwen/settings.json', COMMENTED],
  ['opencode', '.config/opencode/opencode.jsonc', '{\n  "shell": "/bin/zsh", // mine\n}\n'],
  ['kilo', '.config/kilo/kilo.json', '{\n  "shell": "/bin/zsh", // mine\n}\n'],
  ['cline', '.cline/hooks/PreToolUse.sh', '#!/bin/sh\n# mine\n'],
  [
    'kimi',
    '.kimi-code/config.toml',
    '# mine\n[[hooks]] # none\nevent = "Stop"\ncommand = "true"\n\n[models.x]\nname = "y"\n',
  ],
  ['cursor', '.cursor/hooks.json', '{\n  "version": 1,\n  "hooks": {"stop": [{"command": "true"}]}\n}\n'],
  ['goose', '.agents/plugins/ape-shell-gate/hooks/hooks.json', PLAIN],
  ['hermes', '.hermes/config.yaml', '# mine\nmodel: x\nhooks: {} # none\nlist:\n- a\n'],
  ['grok', '.grok/hooks/ape-shell.json', PLAIN],
  [
    'openclaw',
    '.openclaw/openclaw.json',
    "{\n  gateway: {mode: 'local'},\n  plugins: {load: {paths: ['/mine']}},\n}\n",
  ],
  ['copilot', '.copilot/hooks/00-ape-shell.json', '{"version":1,"hooks":{"Stop":[{"type":"command","exec":"mine"}]}}'],
  ['pi', '.pi/agent/settings.json', '{\n  "shellPath": "/bin/zsh",\n  "theme": "mine"\n}\n'],
];

describe.each(CASES)('the settings of %s', (harness, file, settings) => {
  it('get their old bytes back, and a second install changes nothing', () => {
    write(file, settings);
    chmodSync(join(home, file), 0o640);
    const before = everything();
    expect(apes('install', harness)).toMatchObject({ status: 0, err: '' });
    const installed = read(file);
    expect(installed).not.toBe(settings);
    expect(statSync(join(home, file)).mode & 0o777).toBe(0o640);
    for (const comment of settings.match(/\/\/.*/g) ?? []) expect(installed).toContain(comment);
    const backups = readdirSync(dirname(join(home, file))).filter((name) =>
      /\.before-ape-shell-\d{4}-\d\d-\d\dT/.test(name),
    );
    expect(backups.map((name) => readFileSync(join(dirname(join(home, file)), name), 'utf8'))).toEqual([settings]);
    expect(apes('install', harness).out).toContain('nothing to do');
    expect(read(file)).toBe(installed);
    expect(apes('remove', harness)).toMatchObject({ status: 0, err: '' });
    expect(everything()).toEqual(before);
  });

  it('are removed whole if the file did not exist before', () => {
    expect(apes('install', harness).status).toBe(0);
    expect(apes('remove', harness).status).toBe(0);
    expect(everything()).toEqual([]);
    expect(existsSync(join(home, dirname(file)))).toBe(false);
  });

  it('lose only our entries if the file has changed since', () => {
    write(file, settings);
    apes('install', harness);
    writeFileSync(join(home, file), `${read(file).trimEnd()}\n\n`);
    const outcome = apes('remove', harness);
    expect(outcome.out).toContain('only our entries were removed');
    expect(read(file)).not.toMatch(/hook-guard|ape-shell|hooks report/);
    expect(read(file)).toContain(settings.includes('mine') ? 'mine' : '{');
  });
});

describe('a file of settings that is malformed, a link or unusual', () => {
  it.each([
    ['claude-code', '.claude/settings.json', '{\n  "a": 1\n  "b": 2\n}', ':3:3: expected , or }'],
    ['gemini', '.gemini/settings.json', '{"hooks": {"BeforeTool": {}}}', ':1:26: hooks.BeforeTool is not a list'],
    [
      'claude-code',
      '.claude/settings.json',
      '{\n  // why\n}\n',
      'has comments or commas that this harness does not read',
    ],
  ])('%s: %s with %j is refused and stays as it is', (harness, file, text, message) => {
    write(file, text);
    const outcome = apes('install', harness);
    expect(outcome).toMatchObject({ status: 78, out: '' });
    expect(outcome.err).toContain(message);
    expect(everything()).toEqual([`${file}: ${text}`]);
  });

  it.each([
    ['cline', '.cline/hooks/PreToolUse.sh', '#!/bin/sh\necho {}\n', 'is a hook of your own'],
    ['cline', '.cline/hooks/PreToolUse.sh', '#!/bin/bash\n', 'is a hook of your own'],
    ['kimi', '.kimi-code/config.toml', 'hooks = []\n', 'has hooks = […] of its own'],
    ['kimi', '.kimi-code/config.toml', 'a = \n', 'config.toml:1:'],
    ['cursor', '.cursor/hooks.json', '{"hooks": {"notification": []}}', 'Cursor then ignores the whole file'],
    ['hermes', '.hermes/config.yaml', 'hooks:\n  post_tool_call: []\n', 'has hooks of its own'],
    ['hermes', '.hermes/config.yaml', 'model: x\nhooks:\n- a: b\n', 'has hooks of its own'],
    ['hermes', '.hermes/config.yaml', '- a: b\n- c: d\n', 'not understood here'],
    ['hermes', '.hermes/config.yaml', '{model: x}\n', 'not understood here'],
  ])('%s: %s with %j is refused, and no file of the harness changes', (harness, file, text, message) => {
    write(file, text);
    const outcome = apes('install', harness);
    expect(outcome).toMatchObject({ status: 78, out: '' });
    expect(outcome.err).toContain(message);
    expect(everything()).toEqual([`${file}: ${text}`]);
  });

  it('a link is followed and stays a link', () => {
    write('dotfiles/claude.json', PLAIN);
    mkdirSync(join(home, '.claude'));
    symlinkSync(join(home, 'dotfiles/claude.json'), join(home, '.claude/settings.json'));
    apes('install', 'claude-code');
    expect(read('dotfiles/claude.json')).toContain('hook-guard');
    apes('remove', 'claude-code');
    expect(lstatSync(join(home, '.claude/settings.json')).isSymbolicLink()).toBe(true);
    expect(read('dotfiles/claude.json')).toBe(PLAIN);
  });

  it('is refused if Copilot would ignore the file', () => {
    const file = '.copilot/hooks/00-ape-shell.json';
    write(file, '{"version": 1} // mine\n');
    expect(apes('install', 'copilot')).toMatchObject({ status: 78, out: '' });
    expect(everything()).toEqual([`${file}: {"version": 1} // mine\n`]);
  });

  it('is not looked at if the call is wrong', () => {
    expect(apes('install', 'emacs')).toMatchObject({ status: 64, out: '' });
    const both = apes('install', 'codex', '--user', '--project');
    expect(both).toMatchObject({ status: 64, out: '' });
    expect(both.err).toContain("option '--user' cannot be used with option '--project'");
    expect(apes('install', 'openclaw', '--managed').status).toBe(64);
  });
});

describe('check', () => {
  it('finds that every case holds after an installation for the project', () => {
    apes('install', 'claude-code', '--project');
    expect(existsSync(join(home, 'project/.claude/settings.json'))).toBe(true);
    const outcome = apes('check', 'claude-code', '--project', '--json');
    const { rows } = JSON.parse(outcome.out).data as { rows: { name: string; holds: boolean; result: string }[] };
    expect(rows.filter(({ holds }) => !holds)).toEqual([]);
    expect(rows.length).toBeGreaterThanOrEqual(15);
    expect(outcome.status).toBe(0);
  });

  it('names each file that lets Claude Code run commands past the hooks', () => {
    apes('install', 'claude-code');
    const hooks = (event: string, command: string) => ({
      hooks: { [event]: [{ hooks: [{ type: 'command', command }] }] },
    });
    write('project/.claude/settings.json', JSON.stringify(hooks('PreToolUse', 'rewrite-it')));
    write('project/.claude/settings.local.json', JSON.stringify(hooks('SessionStart', './start')));
    write('.claude/settings.local.json', '{"disableAllHooks": true, "enabledPlugins": {"a@b": true, "c@d": false}}');
    write('.claude/skills/tidy/SKILL.md', 'The time is !`date`.\n');
    write('project/.claude/commands/deep/x.md', '```!\ndate\n```\n');
    write('project/.claude/agents/one.md', '---\nname: one\nhooks:\n  PreToolUse: []\n---\n');
    write('project/.claude/skills/plain/SKILL.md', 'Say hello! `date` prints the date.\n');
    const outcome = apes('check', 'claude-code', '--json');
    expect(outcome.status).toBe(78);
    const { rows } = JSON.parse(outcome.out).error.data ?? JSON.parse(outcome.out).data;
    const open = (rows as { holds: boolean; result: string }[])
      .filter(({ holds }) => !holds)
      .map(({ result }) => result);
    for (const [file, what] of [
      ['project/.claude/settings.json', 'another PreToolUse hook can change a command after the gate has seen it'],
      ['project/.claude/settings.local.json', 'another SessionStart hook runs ungated: "./start"'],
      ['.claude/settings.local.json', 'disableAllHooks is true'],
      ['.claude/settings.local.json', 'plugins can bring hooks and skills that run ungated: a@b'],
      ['.claude/skills/tidy/SKILL.md', 'runs `!` commands ungated'],
      ['project/.claude/commands/deep/x.md', 'it runs `!` commands ungated'],
      [
        'project/.claude/agents/one.md',
        'its head can run programs past the gate, or this check does not know it: hooks;',
      ],
    ])
      expect(
        open.filter((line) => line.startsWith(`${join(home, file ?? '')}: ${what}`)),
        what,
      ).toHaveLength(1);
    expect(open).toHaveLength(7);
  });

  it('looks into the directory that CLAUDE_CONFIG_DIR names', () => {
    write('elsewhere/settings.json', '{"disableAllHooks": true}');
    const env = { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') };
    expect(apesIn(env, 'check', 'claude-code').out).toContain(
      `${join(home, 'elsewhere/settings.json')}: disableAllHooks is true`,
    );
  });

  it.each([
    'APES_HOME',
    'HOME',
    'XDG_DATA_HOME',
    'LD_PRELOAD',
    'LD_AUDIT',
    'BASH_ENV',
    'PATH',
    'SHELL',
    'NODE_OPTIONS',
    'CLAUDE_CODE_SHELL',
    'CLAUDE_CODE_SHELL_PREFIX',
    'CLAUDE_ENV_FILE',
    'GIT_CONFIG_COUNT',
  ])('names %s in the env of a project', (name) => {
    write('project/.claude/settings.json', JSON.stringify({ env: { [name]: '/x', EDITOR_THEME: 'dark' } }));
    const found = findSwitches([join(home, 'project/.claude/settings.json')]);
    expect(found).toEqual([`${join(home, 'project/.claude/settings.json')}: env sets ${name}`]);
  });

  it('reports what is missing, altered or switched off', () => {
    expect(apes('check', 'gemini')).toMatchObject({ status: 78 });
    apes('install', 'claude-code');
    write('project/.claude/settings.local.json', '{"disableAllHooks": true, "env": {"APES_HOME": "/tmp/x"}}');
    writeFileSync(join(home, '.claude/settings.json'), read('.claude/settings.json').replace('exit 2', 'exit 0'));
    const outcome = apes('check', 'claude-code');
    expect(outcome.status).toBe(78);
    expect(outcome.out).toContain('NO: removed or altered');
    expect(outcome.out).toContain('does not know: disableAllHooks, env.APES_HOME;');
    expect(outcome.out).toContain('not found in PATH');
  });
});

describe('check names what bypasses the gate', () => {
  it.each([
    ['copilot', '.github/hooks/x.json', '{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"true"}]}}'],
    ['copilot', '.claude/settings.json', '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}'],
    ['copilot', '.github/copilot/settings.json', '{"disableAllHooks":true}'],
    ['copilot', '.github/extensions/x/extension.mjs', ''],
    ['copilot', '.mcp.json', '{"mcpServers":{"evil":{"command":"x"}}}'],
    ['copilot', '.github/mcp.json', '{"mcpServers":{"evil":{"command":"x"}}}'],
    ['copilot', '.github/lsp.json', '{"lspServers":{}}'],
    ['claude-code', '.mcp.json', '{"mcpServers":{"evil":{"command":"x"}}}'],
    ['claude-code', '.claude/settings.json', '{"apiKeyHelper":"./x"}'],
    ['claude-code', '.claude/settings.local.json', '{"statusLine":{"type":"command","command":"./x"}}'],
    ['kimi', '.mcp.json', '{"mcpServers":{"evil":{"command":"x"}}}'],
    ['kimi', '.kimi-code/mcp.json', '{"mcpServers":{"evil":{"command":"x"}}}'],
    ['gemini', '.gemini/settings.json', '{"mcpServers":{"evil":{"command":"x"}}}'],
    ['gemini', '.gemini/settings.json', '{"tools":{"discoveryCommand":"./x"}}'],
    ['gemini', '.gemini/settings.json', '{"mcp":{"serverCommand":"./x"}}'],
    ['qwen', '.qwen/settings.json', '{"mcpServers":{"evil":{"command":"x"}}}'],
    ['codex', '.codex/config.toml', '[mcp_servers.evil]\ncommand = "x"\n'],
    ['pi', '.pi/settings.json', '{"shellPath":"/bin/bash"}'],
    ['pi', '.pi/settings.json', '{"packages":["npm:x"]}'],
    ['pi', '.pi/extensions/x.ts', ''],
  ])('%s: %s of the project', (harness, file, text) => {
    expect(apes('check', harness).out).not.toContain(join(home, 'project'));
    write(join('project', file), text);
    const outcome = apes('check', harness);
    expect(outcome.status).toBe(78);
    const found = outcome.out.split('\n').filter((line) => line.includes(join(home, 'project')));
    expect(found).toEqual([expect.stringMatching(/^ {2}OPEN /)]);
  });
});

describe('check finds what leads past the gate of', () => {
  const open = (harness: string): readonly string[] => {
    const outcome = apes('check', harness, '--json');
    expect(outcome.status).toBe(78);
    const { data } = JSON.parse(outcome.out) as { data: { rows: { holds: boolean; name: string; result: string }[] } };
    return data.rows.filter(({ holds }) => !holds).map(({ name, result }) => `${name}: ${result}`);
  };

  it('Cline: another hook before a tool, a plugin, our file removed', () => {
    apes('install', 'cline');
    write('project/.clinerules/hooks/PreToolUse', '#!/bin/sh\necho {}\n');
    write('.cline/plugins/x/index.js', '');
    const found = open('cline');
    expect(found).toHaveLength(2);
    expect(found.join('\n')).toMatch(/plugins: plugins run inside[\s\S]*clinerules\/hooks\/PreToolUse: another hook/);
    rmSync(join(home, '.cline/hooks/PreToolUse.sh'));
    expect(open('cline').join('\n')).toContain('PreToolUse.sh: NO: there is no such file');
  });

  it('Kimi Code: an entry for which it ignores all hooks; our entry is removed also without its marks', () => {
    apes('install', 'kimi');
    const plain = read('.kimi-code/config.toml').replace(/^#.*\n/gm, '');
    write(
      '.kimi-code/config.toml',
      `model = "x"\n\n${plain}\n# Mine.\n[[hooks]]\nevent = "Stop"\ncommand = "true"\nfail_mode = "closed"\n`,
    );
    expect(open('kimi').join('\n')).toMatch(/the key fail_mode is not known, so Kimi Code 2.1.0 ignores all hooks/);
    expect(open('kimi')).toHaveLength(1);
    apes('remove', 'kimi');
    expect(read('.kimi-code/config.toml')).toBe(
      'model = "x"\n\n# Mine.\n[[hooks]]\nevent = "Stop"\ncommand = "true"\nfail_mode = "closed"\n',
    );
  });

  it('a harness that our tests have not tried: check says so, and names an entry for which it ignores its hooks', () => {
    apes('install', 'cursor');
    const checked = apes('check', 'cursor');
    expect(checked.out).toContain('NEVER TRIED BY US');
    expect(checked.out).not.toMatch(/^ *holds/m);
    expect(open('cursor')).toEqual([expect.stringContaining('we have not tried this harness')]);
    write('.cursor/hooks.json', read('.cursor/hooks.json').replace('"hooks": {', '"hooks": {"notification": [],'));
    expect(open('cursor').join('\n')).toContain('Cursor does not know the event notification');
  });

  it('Grok Build: our entry for Claude Code, which Grok reads too and which denies all its tools', () => {
    expect(apes('install', 'grok').out).toContain('NEVER TRIED BY US');
    expect(open('grok')).toHaveLength(1);
    apes('install', 'claude-code');
    expect(open('grok').join('\n')).toContain('write [compat.claude] hooks = false into');
    write('.grok/config.toml', '[compat.claude]\nhooks = false\n');
    expect(open('grok')).toHaveLength(1);
  });
});

it('the shim is ape-shell under the name bash', () => {
  apes('install', 'qwen');
  const shim = join(home, 'apes/ape-shell-shims/bash');
  const { stderr, status } = spawnSync(shim, ['-c', 'echo hi'], { env: { HOME: home, APES_HOME: join(home, 'apes') } });
  expect({ status, isOurs: stderr.toString().includes('not enrolled') }).toEqual({ status: 78, isOurs: true });
  expect(existsSync(join(DIST, 'ape-shell'))).toBe(true);
});

it('a directory of the shim that cannot be searched is one line in `hooks remove`, and missing in `hooks check`', () => {
  apes('install', 'qwen');
  const shims = join(home, 'apes/ape-shell-shims');
  rmSync(shims, { recursive: true });
  symlinkSync(shims, shims);
  expect(apes('check', 'qwen').out).toContain('NO: missing or altered');
  const removed = apes('remove', 'qwen');
  expect(removed).toMatchObject({ status: 71, out: expect.stringContaining('settings.json') });
  expect(removed.err).toBe(`apes: cannot remove ${shims}/bash (ELOOP); look at the directory\n`);
});

describe('the shim stays as long as an installation needs it', () => {
  const SHIM = 'apes/ape-shell-shims/bash';
  const hasShim = () => lstatSync(join(home, SHIM), { throwIfNoEntry: false }) !== undefined;

  it('two harnesses', () => {
    apes('install', 'gemini');
    apes('install', 'qwen');
    const removed = apes('remove', 'qwen');
    expect(removed).toMatchObject({ status: 0, out: expect.stringContaining('.gemini/settings.json need it') });
    expect(hasShim()).toBe(true);
    expect(apes('remove', 'gemini').out).not.toContain('need it');
    expect(hasShim()).toBe(false);
  });

  it('two scopes of one harness', () => {
    apes('install', 'gemini', '--user');
    apes('install', 'gemini', '--project');
    apes('remove', 'gemini', '--user');
    expect(hasShim()).toBe(true);
    apes('remove', 'gemini', '--project');
    expect(hasShim()).toBe(false);
  });

  it('an installation whose record is lost', () => {
    apes('install', 'gemini');
    rmSync(join(home, 'apes/state/hooks'), { recursive: true });
    apes('install', 'qwen');
    apes('remove', 'qwen');
    expect(hasShim()).toBe(true);
  });

  it('a project whose settings already had our entries', () => {
    apes('install', 'gemini', '--project');
    const settings = read('project/.gemini/settings.json');
    apes('remove', 'gemini', '--project');
    write('project/.gemini/settings.json', settings);
    expect(apes('install', 'gemini', '--project').out).toContain('nothing to do');
    apes('install', 'qwen');
    apes('remove', 'qwen');
    expect(hasShim()).toBe(true);
    expect(apes('remove', 'gemini', '--project').out).toContain('only our entries were removed');
    expect(hasShim()).toBe(false);
  });

  it('not for a project that was deleted, nor for a harness without a shim', () => {
    apes('install', 'claude-code');
    apes('install', 'gemini', '--project');
    rmSync(join(home, 'project'), { recursive: true });
    mkdirSync(join(home, 'other'));
    const env = { HOME: home, APES_HOME: join(home, 'apes'), PATH: '/usr/bin:/bin' };
    for (const verb of ['install', 'remove'])
      spawnSync(APES, ['hooks', verb, 'qwen'], { cwd: join(home, 'other'), env, timeout: 150_000 });
    expect(hasShim()).toBe(false);
  });
});
