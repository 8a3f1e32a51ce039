/** What `--managed` writes into the settings of the whole machine besides the hooks, and removes again. */
import { describe, expect, it } from 'vitest';
import { claudeCodeInstallation } from '../../src/harness/claude-code/installation.ts';
import { PINNED_VARIABLES } from '../../src/harness/claude-code/managed-settings.ts';
import type { HookFile, HookPlaces } from '../../src/harness/hook-file.ts';

const places: HookPlaces = {
  scope: 'managed',
  home: '/root',
  project: '/p',
  environment: new Map([['HOME', Buffer.from('/root')]]),
  dist: '/opt/ape-shell/dist',
  shims: '/nowhere',
};

async function file(): Promise<HookFile> {
  const [one] = (await claudeCodeInstallation.plan(places)).files;
  if (one === undefined) throw new Error('no file');
  return one;
}

async function applied(text: string | null): Promise<string> {
  const outcome = (await file()).apply(text);
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

const settingsIn = (text: string) => JSON.parse(text) as Record<string, Record<string, unknown>>;

describe('the settings of the whole machine', () => {
  it('leave no hook, skill or variable of a project a way past the gate', async () => {
    const settings = settingsIn(await applied(null));
    expect(settings).toMatchObject({
      allowManagedHooksOnly: true,
      disableSkillShellExecution: true,
      env: PINNED_VARIABLES,
    });
    for (const name of [
      'LD_PRELOAD',
      'CLAUDE_CODE_SHELL_PREFIX',
      'CLAUDE_CODE_SHELL',
      'PATH',
      'BASH_ENV',
      'NODE_OPTIONS',
    ])
      expect(Object.keys(settings['env'] ?? {})).toContain(name);
  });

  it("name, for every user, the installation in that user's home", async () => {
    const text = await applied(null);
    expect(text).toContain(`'/opt/ape-shell/dist/bin/hook-guard' claude-code 'HOME' ||`);
    expect(text).not.toContain('/root');
  });

  it('have one entry before a tool, because two entries race in older versions of Claude Code', async () => {
    expect(settingsIn(await applied(null))['hooks']?.['PreToolUse']).toHaveLength(1);
  });

  it('keep what the administrator wrote, including a variable of theirs', async () => {
    const original = '{\n  "model": "x",\n  "env": {"PATH": "/opt/bin:/usr/bin", "A": "1"}\n}\n';
    const settings = settingsIn(await applied(original));
    expect(settings['env']).toEqual({ ...PINNED_VARIABLES, PATH: '/opt/bin:/usr/bin', A: '1' });
    const taken = (await file()).strip(await applied(original), original);
    expect(taken.ok && settingsIn(taken.value)).toEqual(settingsIn(original));
  });

  it.each(['{}', '{"model": "x"}', '{"allowManagedHooksOnly": true}'])(
    'are removed from %s again',
    async (original) => {
      const text = await applied(original);
      expect(settingsIn(await applied(text))).toEqual(settingsIn(text));
      const taken = (await file()).strip(text, original);
      expect(taken.ok && settingsIn(taken.value)).toEqual(settingsIn(original));
    },
  );

  it.each(['allowManagedHooksOnly', 'disableSkillShellExecution'])('are refused if %s is false there', async (name) => {
    const outcome = (await file()).apply(JSON.stringify({ [name]: false }));
    expect(outcome.ok ? '' : outcome.failure.message).toContain(`${name} is false, which leaves the gate open`);
  });

  it('are refused if all hooks are switched off', async () => {
    const outcome = (await file()).apply('{"disableAllHooks": true}');
    expect(outcome.ok ? '' : outcome.failure.message).toContain('disableAllHooks is true');
  });
});
