/** Runs real wrappers with a stand-in that records every call, and compares the calls with what our reader says they run. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Word } from '../../../src/core/reading/reading.ts';
import { quoteWord } from '../../../src/core/text/quote.ts';
import { understand } from './reading-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'wrappers-'));
const probe = join(folder, 'probe');
const notes = join(folder, 'notes');
beforeAll(() => {
  // One call is one line: `%q` never prints a newline as such.
  writeFileSync(probe, `#!/bin/bash\n{ for w; do printf '%q ' "$w"; done; echo; } >>${notes}\n`);
  chmodSync(probe, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Wrappers as people write them, and wrong ones: options that are unknown, ambiguous or in the wrong place. */
const prefix = fc.constantFrom(
  ...`timeout 9|timeout -k 1 9|timeout -s9 9|timeout --signal=KILL 9|timeout --sig=KILL 9|timeout --foreground 9s|timeout -vk1 9|nice|nice -n 1|nice -5
  |nice -n5|nice --adjustment=3|nice --adj 3|env|env A=1|env -u A B=2|env -i|env -|env -iu A|env -C /|env --chdir=/ A=1|env -uA|env --unset A|env --|env -S nice|env -S 'nice -n 1'
  |env -Snice|env --split-string=nice|env -vSnice|stdbuf -oL|stdbuf -o L -e0|stdbuf --output=L|stdbuf -i 0 -oL|nohup|nohup --|setsid -w|setsid -wf|ionice -c3|ionice -c 2 -n 7 -t
  |ionice -t|taskset 1|taskset -c 0|chrt -o 0|chrt --other 0|flock -w 1 LOCK|flock -n LOCK|flock -w1 LOCK|flock -xw 1 LOCK|flock -n LOCK -c|command|command --|command -p|command env|exec
  |exec -a x|exec -c|builtin exec|builtin command|xargs|xargs -r|xargs -n1|xargs -0 -n 2|xargs -I{}|xargs -I {}|xargs -d, -P2|xargs --no-run-if-empty|xargs -i|xargs -L1
  |find LOCK -exec|find LOCK -maxdepth 0 -exec|find LOCK -name x -o -exec|time|time -p|command time|! |timeout|nice -n|stdbuf|A=1|A=1 B=2 env|2>/dev/null`
    .split('|')
    .map((text) => text.trim()),
);
const argument = fc.oneof(
  fc.constantFrom(
    'a',
    '-n',
    '--',
    '5',
    ';',
    '+',
    '{}',
    'A=1',
    "'",
    '"',
    '$X',
    '*',
    'b c',
    '',
    '-c',
    '$(id)',
    '\\',
    'x{}y',
    '\n',
  ),
  fc.string({ maxLength: 4, unit: 'grapheme-ascii' }),
);

/** The innermost command, possibly inside a shell. */
const line = fc.letrec<{ readonly command: string }>((tie) => ({
  command: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.array(argument, { maxLength: 4 }).map((words) => [probe, ...words].map(quoteWord).join(' ')),
    fc.tuple(prefix, tie('command')).map(([first, rest]) => `${first} ${rest}`),
    fc.tuple(prefix, tie('command')).map(([first, rest]) => `${first} ${rest}${first.endsWith('-exec') ? " ';'" : ''}`),
    fc
      .tuple(
        fc.constantFrom(
          'bash -c',
          'sh -c',
          'bash -ec',
          'bash -c --',
          'flock -n LOCK -c',
          'bash -o pipefail -c',
          'script -qc',
        ),
        tie('command'),
      )
      .map(([shell, inner]) => `${shell} ${quoteWord(inner)}${shell === 'script -qc' ? ' /dev/null' : ''}`),
    fc
      .tuple(
        tie('command'),
        fc.constantFrom('"$1" "$@"', '$1 $@ "$*"', `$0 \${2} $*`, `"$0" \${10} "\${3}"`),
        fc.array(argument, { maxLength: 3 }),
      )
      .map(([inner, ends, words]) => `bash -c ${quoteWord(`${inner} ${ends}`)} ${words.map(quoteWord).join(' ')}`),
  ),
})).command;

/** Whether our reader predicted the call with these words. A word that is only known at run time may be any word, or many words. */
function isPredicted(call: readonly string[], words: readonly Word[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return call.length === 0;
  const [first, ...others] = call;
  if (word.kind === 'literal') return first === word.value && isPredicted(others, rest);
  if (word.isOne) return first?.startsWith(word.prefix) === true && isPredicted(others, rest);
  return call.some((_, at) => isPredicted(call.slice(at), rest)) || isPredicted([], rest) || isPredicted(call, rest);
}

/** A word that no test case contains. */
const END = 'end 5b0c7a6e';

/**
 * Returns the words, each ended by NUL, that bash prints for each script. One bash runs all scripts, because starting a process from
 * this large one is slow.
 * @param scripts each prints words, with a NUL after each
 */
function printedBy(scripts: readonly string[]): readonly (readonly string[])[] {
  const input = scripts.map((script) => `${script}\nprintf '${END}\\0'\n`).join('');
  const printed: string[][] = [[]];
  for (const word of execFileSync('/bin/bash', { input, encoding: 'utf8' }).split('\0').slice(0, -1))
    if (word === END) printed.push([]);
    else printed.at(-1)?.push(word);
  expect(printed).toHaveLength(scripts.length + 1);
  return printed.slice(0, -1);
}

/** Is printed after the calls of each line; `%q` never prints this text. */
const LINE_END = '\u0001';

/** Returns the calls of the stand-in that each of these lines causes. */
function callsOf(lines: readonly string[]): readonly (readonly (readonly string[])[])[] {
  const script = `for line; do
  : >LOCK
  timeout -s KILL 2 /bin/bash -c "$line" <<<'in put' >/dev/null 2>&1
  printf '\\1\\n' >>notes
done`;
  execFileSync('/bin/bash', ['-c', script, 'bash', ...lines], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const noted: string[][] = [[]];
  for (const text of readFileSync(notes, 'utf8').split('\n').slice(0, -1))
    if (text === LINE_END) noted.push([]);
    else noted.at(-1)?.push(text);
  noted.pop();
  expect(noted).toHaveLength(lines.length);
  const words = [...printedBy(noted.flat().map((call) => `for w in ${call}; do printf '%s\\0' "$w"; done`))];
  return noted.map((quoted) => words.splice(0, quoted.length));
}

test('each program that a line runs was predicted, unless the line is opaque', () => {
  const plain = fc
    .sample(line, 200)
    .map((text) => ({ ...understand(text), text }))
    .filter(({ opaque }) => opaque.length === 0);
  const calls = callsOf(plain.map(({ text }) => text));
  for (const [at, { text, commands }] of plain.entries()) {
    const foretold = commands
      .map(({ command }) => command.words)
      .filter(([name]) => name?.kind === 'literal' && name.value === probe);
    for (const words of calls[at] ?? [])
      expect(
        foretold.some((each) => isPredicted(words, each.slice(1))),
        `${text}\nran ${words.map(quoteWord).join(' ')}`,
      ).toBe(true);
  }
  expect(plain.length).toBeGreaterThan(50);
  expect(calls.flat().length).toBeGreaterThan(50);
}, 600_000);

test('the quoted text after `bash -c` is what bash runs, for any words', () => {
  const word = fc.string({ maxLength: 8, unit: 'binary' }).filter((text) => !text.includes('\0'));
  const cases = fc
    .sample(fc.array(word, { maxLength: 4 }), 100)
    .map((argv) => {
      const inner = ['printf', '%s\\0', ...argv].map(quoteWord).join(' ');
      const text = `bash -c ${quoteWord(inner)}`;
      return { ...understand(text), argv, text };
    })
    .filter(({ opaque }) => opaque.length === 0);
  expect(cases.length).toBeGreaterThan(50);
  for (const { argv, commands } of cases) {
    const read = commands.at(-1)?.command.words.map((each) => (each.kind === 'literal' ? each.value : null));
    expect(read).toEqual(['printf', '%s\\0', ...argv]);
  }
  const printed = printedBy(cases.map(({ text }) => text));
  expect(printed).toEqual(cases.map(({ argv }) => (argv.length === 0 ? [''] : argv)));
});
