/** The indexes of standing grants and of policies give the same answers as a plain scan. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DenyIndex } from '../../src/core/policy/deny-index.ts';
import { denyRuleFault, firstDenial } from '../../src/core/policy/deny-rule.ts';
import { denySubject } from '../../src/core/policy/deny-subject.ts';
import type { DenyRule } from '../../src/core/scope/command-scope.ts';
import { coverLine } from '../../src/core/scope/cover-line.ts';
import { coversRequired, isImplied } from '../../src/core/scope/covers-required.ts';
import { ScopeIndex, type StandingGrant } from '../../src/core/scope/scope-index.ts';
import { isCommandScope } from '../../src/core/scope/scope-shape.ts';
import { anyLine, commandScope, denyRule, LINES, line } from './scope-arbitrary.ts';
import { APP, assess, factsIn, pattern, requiredPermissionsOf, scope, world } from './scope-fixture.ts';

const requester = fc.constantFrom('r_1', 'r_1', 'r_2');
const lines = fc.array(line, { minLength: 1, maxLength: 2 }).map((texts) => texts.join(' && '));
const place = fc.constantFrom(world, world, world, { ...world, cwd: `${APP}/src` }, { ...world, host: 'db' });

/** Insertions, and removals of a grant that may not be there. */
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constant('insert' as const), fc.nat(30), requester, commandScope) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('remove' as const), fc.nat(30), requester, commandScope) },
  ),
  { maxLength: 40 },
);

function built(made: readonly ['insert' | 'remove', number, string, StandingGrant['scope']][]) {
  const index = new ScopeIndex();
  const plain = new Map<string, StandingGrant>();
  for (const [how, number, requesterId, scope] of made) {
    const grant = { grantId: `g_${number}`, requesterId, scope };
    plain.delete(grant.grantId);
    if (how === 'insert') {
      index.insert(grant);
      if (isCommandScope(scope)) plain.set(grant.grantId, grant);
    } else index.remove(grant.grantId);
  }
  return { index, plain: [...plain.values()] };
}

it('the index gives the same answer as a plain scan over all grants', () => {
  let covered = 0;
  fc.assert(
    fc.property(steps, requester, lines, place, (made, requesterId, text, where) => {
      const { requiredPermissions } = assess(text, where);
      if (requiredPermissions === null) return;
      const { index, plain } = built(made);
      const facts = factsIn(where);
      const own = plain.filter((grant) => grant.requesterId === requesterId);
      expect(index.size).toBe(plain.length);
      expect(index.of(requesterId).map(({ grantId }) => grantId)).toEqual(own.map(({ grantId }) => grantId));
      for (const required of requiredPermissions) {
        const found = index.covering(requesterId, required, facts).map(({ grantId }) => grantId);
        const scanned = own
          .filter((grant) => coversRequired(grant.scope, required, facts))
          .map(({ grantId }) => grantId);
        if (isImplied(required)) expect(found.length > 0).toBe(scanned.length > 0);
        else expect(found).toEqual(scanned);
      }
      const found = index.coverageOf(requesterId, requiredPermissions, facts);
      const scanned = coverLine(requiredPermissions, own, facts);
      if (scanned.kind === 'covered') {
        covered += 1;
        expect(found).toEqual(scanned);
      } else expect(found.kind).toBe('uncovered');
    }),
    { numRuns: 1000 },
  );
  expect(covered).toBeGreaterThan(40);
});

it('a grant that was inserted and removed leaves nothing behind', () => {
  fc.assert(
    fc.property(steps, (made) => {
      const { index } = built(made);
      for (let number = 0; number <= 30; number += 1) index.remove(`g_${number}`);
      expect(index.size).toBe(0);
      for (const text of LINES.slice(-33))
        for (const required of requiredPermissionsOf(text))
          expect(index.covering('r_1', required, factsIn())).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

it('inserting a grant again replaces it', () => {
  const index = new ScopeIndex();
  index.insert({ grantId: 'g_1', requesterId: 'r_1', scope: scope() });
  index.insert({ grantId: 'g_1', requesterId: 'r_1', scope: scope([pattern({ operations: ['ls'] })]) });
  expect(index.size).toBe(1);
  expect(index.coverageOf('r_1', requiredPermissionsOf('git log'), factsIn()).kind).toBe('uncovered');
  expect(index.coverageOf('r_1', requiredPermissionsOf('ls'), factsIn()).kind).toBe('covered');
  expect(index.coverageOf('r_2', requiredPermissionsOf('ls'), factsIn()).kind).toBe('uncovered');
  expect(index.coverageOf('r_1', [], factsIn()).kind).toBe('uncovered');
});

it('the index of rules gives the same answer as a plain scan over all rules', () => {
  let denied = 0;
  let allowed = 0;
  const rules = fc.array(fc.tuple(fc.boolean(), fc.nat(30), denyRule), { maxLength: 40 });
  fc.assert(
    fc.property(rules, requester, fc.oneof(lines, anyLine), (made, requesterId, text) => {
      const index = new DenyIndex();
      const plain = new Map<string, DenyRule>();
      for (const [isThere, number, rule] of made) {
        const whole = { ...rule, id: `d_${number}` };
        plain.delete(whole.id);
        if (isThere) {
          index.insert(whole);
          plain.set(whole.id, whole);
        } else index.remove(whole.id);
      }
      const subject = denySubject({ text }, assess(text));
      const scanned = firstDenial([...plain.values()], requesterId, subject);
      expect(index.firstDenial(requesterId, subject)).toEqual(scanned);
      expect(index.size).toBe(plain.size);
      if (scanned === null) allowed += 1;
      else denied += 1;
    }),
    { numRuns: 1000 },
  );
  expect(Math.min(denied, allowed)).toBeGreaterThan(60);
});

it('a malformed rule forbids everything in the index too, until it is removed', () => {
  const index = new DenyIndex();
  const subject = denySubject({ text: 'ls' }, assess('ls'));
  const bad = { id: 'd_1', requesterId: null, text: null, pattern: null, reason: 'x' };
  expect(denyRuleFault(bad)).not.toBe(null);
  index.insert(bad);
  expect(index.firstDenial('r_1', subject)?.id).toBe('d_1');
  index.remove('d_1');
  expect(index.firstDenial('r_1', subject)).toBe(null);
});

it('removing a malformed rule removes nothing of another rule', () => {
  const index = new DenyIndex();
  const subject = denySubject({ text: 'git push' }, assess('git push'));
  const good = {
    id: 'd_1',
    requesterId: null,
    text: null,
    pattern: { operations: ['git *'], resources: [] },
    reason: 'x',
  };
  for (const bad of [
    { ...good, id: 'd_2', reason: '' },
    { ...good, id: 'd_2', pattern: {} as never },
  ]) {
    expect(denyRuleFault(bad)).not.toBe(null);
    index.insert(good);
    index.insert(bad);
    index.remove('d_2');
    expect(index.firstDenial('r_1', subject)?.id).toBe('d_1');
  }
});
