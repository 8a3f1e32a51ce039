/** The verbs open the installation, its client and its gate through `src/cli/opened.ts`, which reports every failure. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const CLI = fileURLToPath(new URL('../../src/cli', import.meta.url));

/** For each way to open by hand: the files that do so, with the reason. */
const OPENED_BY_HAND: Readonly<Record<string, { opens: (text: string) => boolean; files: Record<string, string> }>> = {
  'the installation': {
    opens: (text) => /\bopenInstallation\(/.test(text) || /\{[^{}]*\bopenInstallation\b[^{}]*\} = context\b/.test(text),
    files: {
      'gate-here.ts': 'the gate serves for a long time, so its work is the rest of the function and of the process',
      'grants/explain.ts': 'explains the line with defaults if the installation cannot be opened',
      'health/examination.ts': 'shows the failure as one check, and runs the other checks with defaults',
    },
  },
  'a client or a gate': {
    opens: (text) => /\bcontext\.open(Client|Gate)\b/.test(text),
    files: {
      'approvers/pinned.ts': 'uses the client of the owner if there is none of the requester',
      'gate-here.ts': 'opens a gate for another caller, with a persistent connection',
      'grants/either-role.ts': 'asks as the owner what it cannot see as the requester',
      'grants/verdict.ts': 'is called with an installation that is open',
      'health/examination.ts': 'shows the failure as one check',
      'sessions/start.ts': 'opens the gate after the name of the session is claimed',
    },
  },
};

const FILES = readdirSync(CLI, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

describe.each(Object.entries(OPENED_BY_HAND))('%s', (_what, { opens, files }) => {
  it('is opened by hand only in the listed files', () => {
    expect(FILES.length).toBeGreaterThan(50);
    const found = FILES.filter((name) => opens(readFileSync(`${CLI}/${name}`, 'utf8')));
    expect(found.sort()).toEqual([...Object.keys(files), 'opened.ts'].sort());
  });
});

it('the check finds what is opened by hand, and accepts the helpers', () => {
  const opensInstallation = OPENED_BY_HAND['the installation']?.opens;
  const opensClient = OPENED_BY_HAND['a client or a gate']?.opens;
  expect(opensInstallation?.('const installation = await context.openInstallation();')).toBe(true);
  expect(opensInstallation?.('const { openInstallation, err } = context;')).toBe(true);
  expect(opensInstallation?.('withInstallation(context, work)')).toBe(false);
  expect(opensClient?.("const client = context.openClient(installation, 'owner');")).toBe(true);
  expect(opensClient?.('withClient(context, role, work)')).toBe(false);
});
