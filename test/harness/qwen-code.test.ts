/**
 * Runs one real agent, in an exact version from the package registry, without a terminal, against a scripted model, with its shell tool gated.
 * `npm run tripwire` runs the other agents, which take 2 GB.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CASES, ONE_SESSION } from '../../src/certify/cases.mjs';
import { TrialInstallation } from '../../src/certify/installation.mjs';
import { runCase } from '../../src/certify/run-case.mjs';
import { qwenAgent } from '../../src/harness/qwen/certify.mjs';

const directory = process.env['APE_TEST_QWEN'];
const agent = { directory, version: '0.15.10', isPinned: true };
const installation = new TrialInstallation(mkdtempSync(join(tmpdir(), 'ape-harness-')));
beforeAll(() => installation.open());
afterAll(() => installation.close());

it('the agent is installed', () => {
  expect(directory, 'node scripts/test-needs.mjs installs it').toBeTruthy();
});

it.each([ONE_SESSION, ...CASES.filter(({ name }) => name === 'killed')].map((tried) => [tried.title, tried] as const))(
  'Qwen Code: %s',
  async (_title, tried) => {
    const { fault } = await runCase(qwenAgent, tried, { installation, agent });
    expect(fault).toBeNull();
  },
);

it('nothing but the commands of the script reached the gate', () => {
  const texts = installation.journal().map(({ text }) => text ?? '');
  expect(texts.filter((text) => text.includes('ran-qwen-session')).length).toBeGreaterThan(2);
  expect(texts.filter((text) => text !== '' && !/ran-qwen-| grants run g_/.test(text))).toEqual([]);
});
