/** Which cases `apes hooks certify` tries with which driver. Each case has a driver, since no run tries a case without one. */
import { expect, it } from 'vitest';
import { casesOf, DRIVERS } from '../../src/certify/certify.ts';

const namesOf = (driver: string): readonly string[] =>
  casesOf(
    DRIVERS.find(({ name }) => name === driver),
    { cases: null },
  ).map(({ name }) => name);

it.each(DRIVERS.map(({ name }) => name))('%s: no two cases have the same name', (driver) => {
  const names = namesOf(driver);
  expect(new Set(names).size).toBe(names.length);
});

it('a case is tried with each driver that it names', () => {
  const named = DRIVERS.flatMap(({ own }) => own ?? []).flatMap(({ name, only }) =>
    (only ?? []).map((driver) => ({ name, driver })),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(({ name, driver }) => !namesOf(driver).includes(name))).toEqual([]);
});

it('Claude Code with the settings of the machine is tried with everything that a project can bring', () => {
  const wanted = ['project-env', 'other-hooks', 'skill', 'switched-off', 'bare'];
  expect(namesOf('claude-code-managed')).toEqual(expect.arrayContaining(wanted));
  for (const name of wanted) expect(namesOf('claude-code')).not.toContain(name);
});
