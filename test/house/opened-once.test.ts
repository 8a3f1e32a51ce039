/** The verbs open the installation and its client or gate through `src/cli/opened.ts`, which reports every failure. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const CLI = fileURLToPath(new URL('../../src/cli', import.meta.url));

/** Files that use one installation for several clients, or that open it for another purpose first. */
const OPEN_BY_HAND = [
  'approvers/pinned.ts',
  'completion/completion-names.ts',
  'gate-here.ts',
  'grants/either-role.ts',
  'grants/verdict.ts',
  'health/examination.ts',
  'sessions/start.ts',
];

const opens = (text: string): boolean => /\bcontext\.open(Client|Gate)\b/.test(text);

it('only the listed files open a client or a gate by hand', () => {
  const files = readdirSync(CLI, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(50);
  const found = files.filter((name) => opens(readFileSync(`${CLI}/${name}`, 'utf8')));
  expect(found.sort()).toEqual([...OPEN_BY_HAND, 'opened.ts'].sort());
});

it('the check finds a client that is opened by hand', () => {
  expect(opens("const client = context.openClient(installation.value, 'owner');")).toBe(true);
  expect(opens('withClient(context, role, work)')).toBe(false);
});
