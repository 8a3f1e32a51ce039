/**
 * Groups run one after the other, so that a screen or a browser that is being waited for does not compete with
 * property tests for two cores; inside a group, files run at the same time on at most `maxWorkers` processes. A group has suites that
 * compute and suites that wait, and more processes than two cores can run, so that both cores are busy until its end.
 *
 * Every deadline is many times what a quiet machine needs: it is there for what hangs.
 */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { needsEnvironment } from './scripts/test-needs.mjs';

/**
 * Begun first, so that none of them is left alone at the end of its group. The others of a suite take less. Browser
 * files and terminal files alternate, because the first compute and the second wait.
 */
const LONGEST = [
  'scenario/run',
  'scenario/hooks-certify',
  'scenario/help',
  'scenario/hooks',
  'security/hooks-fail-closed',
  'security/session-survives',
  'security/server-killed',
  'fuzz/words',
  'effects/rules-and-tools',
  'contract/store-postgres',
  'contract/store-sqlite',
  'component/notification-delivery',
  'component/server-database-away',
  'component/api-send',
  'component/server-limits',
  'browser/accessibility',
  'security/confinement',
  'browser/break-glass',
  'terminal/sessions',
  'browser/journeys',
  'terminal/flood',
  'browser/scopes',
  'terminal/hazards',
  'browser/app',
  'terminal/completion',
  'terminal/shown-is-asked',
  'browser/passkeys',
  'terminal/interrupts',
  'browser/decide',
  'harness/qwen-code',
  'browser/people',
  'browser/seal-by-passkey',
  'browser/groups',
  'browser/running',
].map((name) => `/test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).sort((one, other) => placeOf(one) - placeOf(other));
  }
}

/** Set for every test: our own programs must find no installation and no session of the person who runs the tests. */
const env = { ...needsEnvironment(), NODE_EXTRA_CA_CERTS: '', LC_ALL: 'C.UTF-8' };

/** Suites that start our programs: `dist/` must be as new as the sources. */
const RUN_PROGRAMS = ['scenario', 'security', 'terminal', 'browser', 'login', 'harness', 'docs'];

/** Suites without own state in the process: their files share one, and load what they test once. */
const SHARE_A_PROCESS = ['house', 'core', 'contract', 'component', 'docs', 'browser'];

/** Suites with properties. */
const DRAW_CASES = ['core', 'contract', 'component', 'security'];

/**
 * @param name         of the folder under test/
 * @param seconds      for one test
 * @param groupOrder   groups with a lower number run first
 * @param maxWorkers   files at the same time
 */
const suite = (name: string, seconds: number, groupOrder: number, maxWorkers: number) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: seconds * 1000,
    hookTimeout: seconds * 1000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    setupFiles: DRAW_CASES.includes(name) ? ['test/seed.ts'] : [],
    globalSetup: RUN_PROGRAMS.includes(name) ? ['test/fresh-build.ts'] : [],
    pool: 'forks' as const,
    isolate: !SHARE_A_PROCESS.includes(name),
    maxWorkers,
    sequence: { groupOrder },
    env,
  },
});

/**
 * Files of other suites, once more: with C programs that have sanitizers in them. For each program those that call it with what
 * is right and with what is not.
 */
const SANITIZED = [
  'test/sanitized/*.test.ts',
  'test/scenario/run.test.ts',
  ...['confinement', 'confinement-lines', 'confinement-one-shot', 'opencode-window', 'resident-gate'].map(
    (name) => `test/security/${name}.test.ts`,
  ),
  'test/terminal/flood.test.ts',
];
const usual = suite('sanitized', 240, 3, 4);
const sanitized = {
  test: {
    ...usual.test,
    include: SANITIZED,
    globalSetup: ['test/sanitized/build.ts'],
    env: { ...env, APE_TEST_BUILD: 'sanitized', APE_SCENARIO: 'one-shot,notifications,send,hooks-report' },
  },
};

export default defineConfig({
  test: {
    reporters: ['default'],
    retry: 0,
    allowOnly: false,
    passWithNoTests: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      // The last two wait for servers and databases while the first two compute.
      suite('house', 180, 1, 6),
      suite('core', 180, 1, 6),
      suite('contract', 180, 1, 6),
      suite('component', 180, 1, 6),
      suite('scenario', 180, 2, 4),
      suite('docs', 180, 2, 4),
      suite('security', 180, 2, 4),
      suite('fuzz', 300, 2, 4),
      suite('effects', 300, 2, 4),
      suite('terminal', 240, 3, 4),
      suite('browser', 240, 3, 4),
      suite('login', 240, 3, 4),
      suite('harness', 1800, 3, 4),
      // They compile and install for minutes: `npm run test:packages`.
      ...(process.env['APE_TEST_PACKAGES'] === '1' ? [suite('package', 1800, 4, 2)] : []),
      sanitized,
    ],
  },
});
