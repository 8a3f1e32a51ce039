/** Which versions of a harness are accepted, and that the gate refuses a harness that reports a version that is too old. */
import { describe, expect, it } from 'vitest';
import { compareVersions } from '../../src/core/text/version-order.ts';
import { answerHook, type HookPlace } from '../../src/harness/answer-hook.ts';
import { standingOf } from '../../src/harness/harness-version.ts';
import { findHarness } from '../../src/harness/harnesses.ts';
import { hasAllEntries, jsonHookFile } from '../../src/harness/hook-file.ts';

it.each([
  ['2.1.96', '2.1.136', -1],
  ['2.1.330', '2.1.136', 1],
  ['10.0.0', '9.9.9', 1],
  ['1.2.0', '1.2.0', 0],
  ['1.2.0-rc.1', '1.2.0', -1],
  ['1.2.1-rc.1', '1.2.0', 1],
  ['2026.9.6', '2026.10.1', -1],
])('comparing the versions %s and %s gives %i', (one, other, sign) => {
  expect(Math.sign(compareVersions(one, other))).toBe(sign);
  expect(Math.sign(compareVersions(other, one))).toBe(0 - sign);
});

const known = findHarness('claude-code');
if (known === null) throw new Error('claude-code is gone');
const harness = { ...known, lowest: '2.1.136', observed: ['2.1.330'] };

describe('the state of a version', () => {
  const held = { version: '9.9.9', digest: 'd', at: '2026-01-02' };
  it.each([
    [null, 'absent'],
    [{ version: '2.1.330' }, 'observed'],
    [{ version: '2.1.96' }, 'too old'],
    [{ version: '9.9.9' }, 'held'],
    [{ version: '9.9.8' }, 'never seen'],
    [{ version: null }, 'never seen'],
  ] as const)('of the program %j is "%s"', (program, kind) =>
    expect(standingOf(harness, program, { held, open: null }, 'd').kind).toBe(kind),
  );

  it('is "never seen" if our entries in the settings have changed since the gate was seen to hold', () =>
    expect(standingOf(harness, { version: '9.9.9' }, { held, open: null }, 'e').kind).toBe('never seen'));

  it('is "does not hold" after such a try of this version with these entries, also if a release was seen to hold', () => {
    const standing = (version: string, digest: string) =>
      standingOf(harness, { version }, { held, open: { ...held, version: '2.1.330' } }, digest).kind;
    expect(standing('2.1.330', 'd')).toBe('does not hold');
    expect(standing('2.1.330', 'e')).toBe('observed');
    expect(standing('9.9.9', 'd')).toBe('held');
  });

  it('is "too old" even if that version was once seen to hold', () =>
    expect(
      standingOf(harness, { version: '1.0.0' }, { held: { ...held, version: '1.0.0' }, open: null }, 'd').kind,
    ).toBe('too old'));
});

describe('the gate', () => {
  const place = (agent: string): HookPlace => ({
    own: { shell: '/x/ape-shell', installation: ['HOME=/x'], isLedElsewhere: false },
    environment: new Map([['AI_AGENT', Buffer.from(agent)]]),
    cwd: '/',
    openFiles: () => Promise.reject(new Error('no file is asked for')),
    explain: () => '',
    ungatedTools: async () => [],
  });
  const event = (tool: string) =>
    Buffer.from(JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: tool, tool_input: { command: 'true' } }));

  it.each(['Bash', 'TodoWrite', 'no-such-tool'])(
    'denies %s if the harness reports a version that is too old',
    async (tool) => {
      const answer = await answerHook(harness, event(tool), place('claude-code_2-1-96_harness'));
      expect(answer).toMatchObject({ ok: true, value: expect.stringMatching(/does not hold in .* 2\.1\.96:/) });
    },
  );

  it.each(['claude-code_2-1-330_harness', 'something-else', ''])('goes on if the harness reports %j', async (agent) => {
    const answer = await answerHook(harness, event('Bash'), place(agent));
    expect(answer).toMatchObject({ ok: true, value: expect.stringContaining("-c 'true'") });
  });
});

describe('our entry in the settings of a harness', () => {
  const file = jsonHookFile(
    '/x',
    'PreToolUse',
    [
      {
        event: 'PreToolUse',
        hook: { type: 'command', command: "'/d/hook-guard' claude-code || { echo 'x' >&2; exit 2; }", timeout: 60 },
      },
    ],
    'plain',
  );
  const applied = file.apply('{"model":"x"}');
  const whole = applied.ok ? applied.value : '';
  const changed = (change: (groups: Record<string, unknown>[]) => unknown): string => {
    const settings = JSON.parse(whole) as { hooks: { PreToolUse: Record<string, unknown>[] } };
    change(settings.hooks.PreToolUse);
    return JSON.stringify(settings);
  };
  const first = (groups: Record<string, unknown>[]): Record<string, unknown> => groups[0] ?? {};

  it('is found complete as it was written, also with other hooks after it', () => {
    expect(hasAllEntries(file, whole)).toBe(true);
    expect(
      hasAllEntries(
        file,
        changed((groups) => groups.push({ hooks: [] })),
      ),
    ).toBe(true);
  });

  it.each([
    ['removed', (groups: Record<string, unknown>[]) => groups.splice(0)],
    ['limited to one tool', (groups: Record<string, unknown>[]) => Object.assign(first(groups), { matcher: 'Read' })],
    ['given a condition', (groups: Record<string, unknown>[]) => Object.assign(first(groups), { if: 'false' })],
    [
      'given another timeout',
      (groups: Record<string, unknown>[]) =>
        Object.assign((first(groups)['hooks'] as object[])[0] ?? {}, { timeout: 1 }),
    ],
    [
      'asynchronous',
      (groups: Record<string, unknown>[]) =>
        Object.assign((first(groups)['hooks'] as object[])[0] ?? {}, { async: true }),
    ],
  ])('is incomplete if it is %s', (_how, change) => expect(hasAllEntries(file, changed(change))).toBe(false));
});
