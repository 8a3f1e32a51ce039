/** The variables of the gate's own bash texts decide what runs, so that no line that sets one of them is understood, however it is quoted. */
import { parse } from 'unbash';
import { expect, it } from 'vitest';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { decidesWhatRuns } from '../../src/core/variables/bound-variables.ts';
import { COMPLETION_TEXT, SETUP_TEXT } from '../fixtures/texts-for-bash.ts';
import { assess } from './scope-fixture.ts';

/** Returns the names that the text assigns, reads into, or unsets. Words in comments count too. */
function namesIn(withRemarks: string): readonly string[] {
  const text = withRemarks.replaceAll(/^\s*#.*$/gm, '');
  const assigned = text.matchAll(/(?<![\w$'"-])([A-Za-z_]\w*)(?:\[[^\]\s]*\])?\+?=(?!=)/g);
  const named = text.matchAll(/\b(?:printf -v|read(?: -\w+)*|mapfile -t|readonly)((?: +[A-Za-z_]\w*)+)/g);
  return [...new Set([...assigned, ...named].flatMap(([, names = '']) => names.trim().split(/ +/)))];
}

const OURS = /^_/;
const ours = [SETUP_TEXT, COMPLETION_TEXT].flatMap(namesIn).filter((name) => OURS.test(name) && name !== '_');

it('the texts have variables of the gate', () => {
  expect(ours).toEqual(expect.arrayContaining(['_A_', '_B_', '__ape_set', '__c_names']));
});

it('each of them is in the table of variables that decide what runs', () => {
  expect(ours.filter((name) => !decidesWhatRuns(name))).toEqual([]);
});

it.each([
  "export _''A_=x",
  'declare _""B_=x',
  "read _''A_ <f",
  "unset _''A_",
  "printf -v _''B_ x",
  'export __a"pe_set"=x',
])('%s is opaque', (text) => {
  expect(parseLine(text, parse).opaque.length + assess(text).opaque.length).toBeGreaterThan(0);
});
