/** Where the command of an operation runs, also if its tool has the name of a first word of operations. */
import { expect, it } from 'vitest';
import { placeOfRun } from '../../src/core/effects/where-it-runs.ts';

const placeOf = (tool: string, operation: string) =>
  placeOfRun({ tool, operation, resources: [], risk: 'medium' } as unknown as Parameters<typeof placeOfRun>[0]);

it.each([
  ['as', 'as', 'here'],
  ['git', 'git status', 'here'],
  ['as', 'as root: as', 'privileged'],
  ['under', 'under /x: under', 'privileged'],
  ['on', 'on web: on', 'away'],
  ['in', 'in c: in', 'away'],
  ['in', 'in another namespace: in', 'privileged'],
  ['rm', 'on web: rm', 'away'],
] as const)('the command of %s with the operation %j runs %s', (tool, operation, place) => {
  expect(placeOf(tool, operation)).toBe(place);
});
