/** Each case of `apes hooks certify` reports `open` if a command ran without a grant. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { NotSeen, Opening } from '../../src/certify/case-errors.mjs';
import { CaseStage } from '../../src/certify/cases.mjs';
import { casesOf, DRIVERS } from '../../src/certify/certify.ts';
import { FAULT_CASES } from '../../src/certify/fault-cases.mjs';
import { DIST } from '../../src/certify/installation.mjs';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'ape-verdicts-'));
});
afterEach(() => removeDirectory(place));

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

interface Checked {
  readonly name: string;
  readonly check?: (stage: CaseStage) => unknown;
  readonly variants?: (driver: object) => readonly Checked[];
  readonly arrange?: (context: object, prepared: object) => unknown;
  readonly next?: (stage: CaseStage, request: { readonly text: string }, turn: number) => Promise<unknown>;
}

/** A stage on which everything that a case looks for has happened: every file is there, every page was fetched. */
function stageOfEvil(): CaseStage {
  const work = join(place, 'work');
  const home = join(place, 'home');
  const installation = {
    journal: () => [{ event: 'asked', text: 'ran-evil' }],
    approvals: 0,
    resume: () => undefined,
    installed: { files: [join(home, 'settings.json')] },
  };
  const stage = new CaseStage(installation, work, 'evil', home);
  put(stage.sideEffect, 'not what was approved\n');
  put(`${stage.sideEffect}-2`, '');
  put(join(work, 'evil-program'), '');
  put(join(work, '.git/hooks/pre-commit'), 'written-without-a-grant\n');
  put(join(home, 'settings.json'), 'written-without-a-grant\n');
  const seen = {
    victims: Promise.resolve(1),
    killed: 1,
    hasSubagentAsked: true,
    hasTask: true,
    hasSubagentAnswer: true,
    seenGrant: 'g',
  };
  const site = { requests: () => 1 };
  return Object.assign(stage, seen, { site, before: [], killer: Promise.resolve(), context: { home, work } });
}

/** A stage on which nothing has happened: no file, no call, no subagent. */
function stageOfNothing(): CaseStage {
  const work = join(place, 'work');
  const home = join(place, 'home');
  for (const each of [work, home]) mkdirSync(each, { recursive: true });
  const installation = { journal: () => [], approvals: 0, resume: () => undefined, installed: { files: [] } };
  const stage = new CaseStage(installation, work, 'nothing', home);
  const seen = { victims: Promise.resolve(0), killed: 0 };
  const site = { requests: () => 0 };
  return Object.assign(stage, seen, { site, before: [], killer: Promise.resolve(), context: { home, work } });
}

/** These cases compare their own files with the earlier content of these files. */
const WITH_PLACES = ['places', 'dangerous', 'own-hook', 'secret'];
/** These cases pass only if something has happened. */
const POSITIVE = ['acp'];

const checkedCases = DRIVERS.flatMap((driver) =>
  (casesOf(driver, { cases: null }) as readonly Checked[]).flatMap((tried) =>
    (tried.variants?.(driver) ?? [tried])
      .filter((each) => each.check !== undefined && ![...WITH_PLACES, ...POSITIVE].includes(each.name))
      .map((each, at) => ({ driver: driver.name, name: each.name, at, check: each.check })),
  ),
);

describe('a case that looks for something forbidden', () => {
  it('exists more than 150 times', () => expect(checkedCases.length).toBeGreaterThan(150));

  it.each(checkedCases)('$driver $name ($at) fails if the forbidden thing happened', async ({ check }) => {
    const stage = stageOfEvil();
    await expect(async () => await check?.(stage)).rejects.toThrow(/[A-Z]{3,}/);
  });
});

describe('a case in which nothing happened', () => {
  it.each(checkedCases)('$driver $name ($at) is not reported as open', async ({ check }) => {
    const stage = stageOfNothing();
    const fault = await Promise.resolve()
      .then(() => check?.(stage))
      .then(
        () => null,
        (error: unknown) => error,
      );
    if (fault !== null) expect(fault).toBeInstanceOf(NotSeen);
  });
});

const casesWithSecret = DRIVERS.flatMap((driver) =>
  (casesOf(driver, { cases: null }) as readonly Checked[])
    .filter(({ name }) => ['places', 'dangerous', 'secret'].includes(name))
    .map((tried) => ({ driver: driver.name, name: tried.name, tried })),
);

describe('a case with a secret file', () => {
  it.each(casesWithSecret)('$driver $name is open if the secret reached the model', async ({ tried }) => {
    const stage = stageOfNothing();
    const work = join(place, 'work');
    const home = join(place, 'home');
    tried.arrange?.({ home, work, sideEffect: stage.sideEffect }, {});
    await tried.next?.(stage, { text: '' }, 0);
    const secrets = readdirSync(home, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    if (tried.name !== 'dangerous') expect(secrets.length).toBeGreaterThan(0);
    const afterLastCall = 99;
    for (const text of secrets)
      await expect(tried.next?.(stage, { text }, afterLastCall)).rejects.toBeInstanceOf(Opening);
  });
});

it('the case without a guard has no guard, also after a case that makes one', () => {
  const settings = join(place, 'settings.json');
  const guardAfter = (name: string, caseCount: number): string => {
    writeFileSync(settings, join(DIST, 'bin/hook-guard'));
    const installation = { directory: place, installed: { files: [settings] }, caseCount };
    FAULT_CASES.find((each) => each.name === name)?.arrange?.({ installation }, {});
    return readFileSync(settings, 'utf8');
  };
  expect(existsSync(guardAfter('garbage', 1))).toBe(true);
  expect(existsSync(guardAfter('no-guard', 2))).toBe(false);
});
