// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** Whether a typed text is a whole command, is incomplete or is invalid. bash itself is asked only if the parser cannot answer. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { completenessOf } from '../../src/shell/interactive/completeness.ts';
import { isWholeCommand } from '../../src/shell/interactive/whole-command.ts';
import { BASH, makeTestDirectory } from '../fixtures/terminal/start-host.ts';

const judge = async (text: string, isRedefined = false) =>
  (await completenessOf(text, BASH, 'bash', isRedefined, 'C.UTF-8')).kind;

const COMPLETE = [
  'ls -la /tmp',
  'echo "a b"',
  'for i in 1 2; do echo $i; done',
  'cat <<EOF\nhi\nEOF',
  "cat <<'E-T'\n$x\nE-T",
  'cat <<<"x"',
  'echo $((1<<3))',
  ': > f',
  'echo @(a|b)',
  'x=(1 2 3)',
  'f() { echo a; }',
  '# only words',
  'echo a \\\\',
  'echo "$(cat <<E\nx\nE\n)"',
  'if true; then echo a; fi &',
];
const INCOMPLETE = [
  'for i in 1 2',
  'for i in 1 2; do echo $i',
  "echo 'abc",
  'echo "abc',
  'cat <<EOF',
  'cat <<EOF\nhi',
  'echo a \\',
  'ls |',
  'true &&',
  'if true; then',
  'f() {',
  'echo $(ls',
  'echo ${x',
  'case x in',
  'x=(1',
  '(',
  '{',
  'while',
];
const INVALID = ['echo )', 'if then', 'echo a;;', '}', 'fi', 'ls | | wc', 'done'];

test.each(COMPLETE)('%j is a whole command', async (text) => {
  expect(await judge(text)).toBe('complete');
});

test.each(INCOMPLETE)('%j is incomplete', async (text) => {
  expect(await judge(text)).toBe('incomplete');
});

test.each(INVALID)('%j is invalid, in the words of bash', async (text) => {
  const found = await completenessOf(text, BASH, '-bash', false, 'C.UTF-8');
  expect(found).toMatchObject({
    kind: 'invalid',
    message: expect.stringMatching(/^-bash: syntax error near unexpected token `/),
  });
});

test('A text with an alias in it is never called invalid: only bash knows what it becomes', async () => {
  expect(await judge('begin echo a; done', true)).toBe('complete');
  expect(await judge('begin echo a; done', false)).toBe('invalid');
});

test('Text that looks like the message of bash does not change the answer', async () => {
  expect(await judge('echo "syntax error: unexpected end of file" )')).toBe('invalid');
});

test('Nothing runs while a text is judged', async () => {
  const mark = path.join(makeTestDirectory(), 'ran');
  for (const text of [`touch ${mark}; (`, `$(touch ${mark}) |`, `\`touch ${mark}\` )`, `x[$(touch ${mark})]=1; {`])
    await judge(text);
  expect(existsSync(mark)).toBe(false);
});

test('A text made to be slow is answered in time, and counts as complete at worst', { timeout: 60_000 }, async () => {
  for (const text of [
    '$('.repeat(200_000),
    '{ '.repeat(30_000),
    '"$('.repeat(20_000),
    `echo ${'a '.repeat(500_000)}`,
  ]) {
    const from = Date.now();
    expect(['complete', 'incomplete', 'invalid']).toContain(await judge(text));
    expect(Date.now() - from).toBeLessThan(5_000);
  }
});

test('Only the parser answers for ordinary lines', async () => {
  for (const text of COMPLETE.slice(0, 12)) expect(await isWholeCommand(text), text).toBe(true);
});
