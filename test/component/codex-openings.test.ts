/** What `apes hooks check codex` finds in the settings of a user and a project, read as Codex 0.169.0 reads them. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { codexInstallation } from '../../src/harness/codex/installation.ts';
import { trustedHash } from '../../src/harness/codex/openings.ts';
import type { HookPlaces, Scope } from '../../src/harness/hook-file.ts';
import { loadTomlReader } from '../../src/platform/toml.ts';
import { findingsOf } from './hook-findings.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ape-codex-'));
  mkdirSync(join(home, 'project'));
});
afterEach(() => removeDirectory(home));

const places = (scope: Scope = 'user'): HookPlaces => ({
  scope,
  home,
  project: join(home, 'project'),
  dist: '/opt/ape-shell/dist',
  shims: join(home, 'shims'),
  environment: new Map(),
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

const find = (scope?: Scope): Promise<readonly string[]> => findingsOf('codex', places(scope));

/** Installs the hook, and trusts it as `/hooks` does: by the hash of the hook in the file. */
async function install(trusts: boolean): Promise<{ hook: Record<string, unknown>; key: string }> {
  const [file] = (await codexInstallation.plan(places())).files;
  const text = file?.apply(null);
  if (file === undefined || text?.ok !== true) throw new Error('there is no plan');
  write('.codex/hooks.json', text.value);
  const hook = JSON.parse(text.value).hooks.PreToolUse[0].hooks[0];
  const key = `${file.path}:pre_tool_use:0:0`;
  if (trusts)
    write('.codex/config.toml', `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${trustedHash(hook)}"\n`);
  return { hook, key };
}

it('our hash of a hook equals the hash that Codex 0.169.0 gives (hooks/list of its app server)', () => {
  const command = "'/x/hook-guard' codex || { echo 'a' >&2; exit 2; }";
  expect(trustedHash({ type: 'command', command, timeout: 60 })).toBe(
    'sha256:044552d0cec36aa15475bc84717fb98f0455596f0f38023b77c56be986c913ed',
  );
});

describe('trust', () => {
  it('a hook that the user has not trusted is open', async () => {
    await install(false);
    expect(await find()).toEqual([
      expect.stringContaining('Codex skips the hook of ape-shell until you trust the hook'),
    ]);
  });

  it('a trusted hook is not open', async () => {
    await install(true);
    expect(await find()).toEqual([]);
  });

  it('a hook that was changed after it was trusted is open again', async () => {
    const { hook } = await install(true);
    const changed = { hooks: { PreToolUse: [{ hooks: [{ ...hook, timeout: 61 }] }] } };
    write('.codex/hooks.json', JSON.stringify(changed));
    expect(await find()).toEqual([
      expect.stringContaining('another PreToolUse hook'),
      expect.stringContaining('until you trust the hook'),
    ]);
  });

  it('a hook that is switched off in /hooks is open', async () => {
    const { hook, key } = await install(true);
    write(
      '.codex/config.toml',
      `[hooks.state.${JSON.stringify(key)}]\nenabled = false\ntrusted_hash = "${trustedHash(hook)}"\n`,
    );
    expect(await find()).toEqual([expect.stringContaining('switched off in Codex (/hooks)')]);
  });
});

describe('settings', () => {
  it.each([
    ['project/.codex/config.toml', '[features]\nhooks = false\n', 'does not know: features.hooks;'],
    ['.codex/config.toml', '[features]\ncodex_hooks = false\n', 'features.codex_hooks is false'],
    ['.codex/config.toml', '[profiles.quick.features]\nhooks = false\n', 'features.hooks is false'],
    [
      'project/.codex/config.toml',
      '[features]\nunified_exec_tty = true\n',
      'does not know: features.unified_exec_tty;',
    ],
    ['.codex/config.toml', '[features]\nunified_exec_tty = true\n', 'write_stdin types into programs'],
    [
      'project/.codex/config.toml',
      '[shell_environment_policy]\nset = { APES_HOME = "/tmp/x", LANG = "C" }\n',
      'does not know: shell_environment_policy.set.APES_HOME',
    ],
    [
      'project/.codex/config.toml',
      '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "rewrite"\n',
      'another PreToolUse hook can change a command',
    ],
    [
      'project/.codex/hooks.json',
      '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"rewrite"}]}]}}',
      'another PreToolUse hook can change a command',
    ],
  ])('%s with %j is reported', async (path, text, what) => {
    write(path, text);
    const found = await find();
    expect(found).toEqual([expect.stringContaining(what)]);
    expect(found[0]).toContain(join(home, path));
    expect(await find('managed')).toEqual([]);
  });

  it('MCP servers of a project are reported, also with the settings of the machine, which do not disable them', async () => {
    write('project/.codex/config.toml', '[mcp_servers.evil]\ncommand = "x"\n');
    for (const scope of ['user', 'managed'] as const)
      expect(await find(scope)).toEqual([expect.stringMatching(/config\.toml: it has settings .*: mcp_servers;/)]);
  });

  it('that do not matter for the gate are not reported', async () => {
    write('.codex/config.toml', 'model = "x"\n[features]\nhooks = true\n[shell_environment_policy]\ninherit = "all"\n');
    write('project/.codex/config.toml', 'model = "x"\n[features]\nhooks = true\n[mcp_servers]\n');
    expect(await find()).toEqual([]);
  });
});

it('--managed pins the hooks, and disables write_stdin', async () => {
  const [file] = (await codexInstallation.plan(places('managed'))).files;
  const text = file?.apply('# kept\n');
  expect(text?.ok === true ? text.value : '').toMatch(/\[features\]\nhooks = true\nunified_exec_tty = false\n/);
});

describe('--managed fixes the variables of the shell in which a command runs', () => {
  const variables = async () => {
    const file = (await codexInstallation.plan(places('managed'))).files.find(({ path }) =>
      path.endsWith('/managed_config.toml'),
    );
    if (file === undefined) throw new Error('there is no such file');
    return file;
  };

  it.each(['', '# kept\nmodel = "x"\n[shell_environment_policy]\ninherit = "all"\n'])(
    'in a file with %j',
    async (before) => {
      const file = await variables();
      const text = file.apply(before === '' ? null : before);
      if (!text.ok) throw new Error(text.failure.message);
      const read = (await loadTomlReader())(text.value);
      const policy = (read.ok ? read.value['shell_environment_policy'] : {}) as Record<string, Record<string, string>>;
      for (const name of ['LD_PRELOAD', 'LD_AUDIT', 'BASH_ENV', 'ENV', 'PS4', 'SHELLOPTS', 'GCONV_PATH'])
        expect(policy['set']?.[name], name).toBe('');
      expect(file.apply(text.value)).toEqual({ ok: true, value: text.value });
      expect(file.strip(text.value, before)).toEqual({ ok: true, value: before });
    },
  );

  it.each(['[shell_environment_policy.set]\nA = "1"\n', '[shell_environment_policy]\nset = { A = "1" }\n'])(
    'a file with %j is refused, with advice what to write instead',
    async (before) => {
      const refused = (await variables()).apply(before);
      expect(refused.ok ? '' : refused.failure.message).toContain('a `set` of its own');
    },
  );
});
