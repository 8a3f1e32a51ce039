/**
 * Compares the directory in which each command of a random line starts, as our reading finds it, with the directory in which bash starts
 * the command. The lines have `cd` in lists, conditions, loops, groups, subshells, pipelines, substitutions and inner shells.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'unbash';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandsIn } from '../../src/core/reading/commands-in.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { type Random, seeded } from './random.ts';

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ape-directories-')));
  for (const top of ['start', 'x'])
    for (const first of ['a', 'b'])
      for (const second of ['a', 'b'])
        for (const third of ['a', 'b']) mkdirSync(join(root, top, first, second, third), { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** `mark N` writes the directory in which it starts; `some` is true three times; `none` is false three times. */
const PRELUDE = `
mark() { printf '%s %s %s\\n' "$LINE" "$1" "$PWD" >> "$OUT"; }
some() { ((COUNT++ < 3)); }
none() { ((COUNT++ >= 3)); }
export -f mark some none; export OUT LINE COUNT=0; set +m; unset CDPATH; HOME=$ROOT/x
exec 2> /dev/null > /dev/null < /dev/null
`;

class Lines {
  readonly #random: Random;
  #marks = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A longer line would only run longer: loops in loops start many processes. */
  next(): string {
    for (;;) {
      this.#marks = 0;
      const line = this.#list(0);
      if (line.length < 160) return line;
    }
  }

  #list(depth: number): string {
    const count = 1 + this.#random.below(depth < 1 ? 4 : 2);
    let text = this.#item(depth);
    for (let each = 1; each < count; each += 1)
      text += `${this.#random.pick([' && ', ' && ', ' && ', '; ', ' || ', ' & '])}${this.#item(depth)}`;
    return text;
  }

  #item(depth: number): string {
    if (depth > 2 || this.#random.chance(0.35)) return this.#mark();
    if (this.#random.chance(0.4)) return this.#move();
    const list = () => this.#list(depth + 1);
    return this.#random.pick([
      () => `for i in 1 2; do ${list()}; done`,
      () => `while some; do ${list()}; done`,
      () => `while some && { ${list()}; }; do ${list()}; done`,
      () => `until none; do ${list()}; done`,
      () => `if ${list()}; then ${list()}; else ${list()}; fi`,
      () => `case x in y) ${list()};; *) ${list()};; esac`,
      () => `{ ${list()}; }`,
      () => `( ${list()} )`,
      () => `! ${this.#item(depth + 1)}`,
      () => `${this.#item(depth + 1)} | ${this.#item(depth + 1)}`,
      () => `echo "$(${list()})"`,
      () => `bash -c '${this.#list(3)}'`,
      () => this.#random.pick(['true', 'false', 'some', 'none']),
    ])();
  }

  #mark(): string {
    this.#marks += 1;
    const mark = `mark ${this.#marks}`;
    return this.#random.chance(0.2) ? `env -C ${this.#place()} bash -c "${mark}"` : mark;
  }

  #place(): string {
    return this.#random.pick([
      'a',
      'b',
      './a',
      'a/b',
      '..',
      'nope',
      '"$D"',
      '-',
      '',
      `${root}/x`,
      `${root}/x/a`,
      '/nope',
      '.',
      './/',
      'a/.',
      '/',
      '//',
      '/.',
      `${root}/./x/`,
    ]);
  }

  #move(): string {
    const call = this.#random.chance(0.6)
      ? 'cd'
      : this.#random.pick([
          'command cd',
          'builtin cd',
          'command command cd',
          'builtin builtin cd',
          'builtin command cd',
          'command -- cd',
          'command -p cd',
          'builtin -- cd',
          'command builtin pushd',
          'pushd',
          'time cd',
          '"cd"',
          'cd --',
          'cd -P',
        ]);
    return `${call} ${this.#place()}`.trimEnd();
  }
}

interface Prediction {
  readonly line: string;
  /** By the number of the mark: the directory; null: not known before the start. */
  readonly directories: ReadonlyMap<string, string | null>;
}

function predicted(line: string): Prediction | null {
  const { commands, opaque } = commandsIn(parseLine(line, parse), parse);
  if (opaque.length > 0) return null;
  const directories = new Map<string, string | null>();
  for (const { command, directory } of commands) {
    const [name, number] = command.words;
    if (name?.kind === 'literal' && name.value === 'mark' && number?.kind === 'literal')
      directories.set(number.value, directory === null ? null : resolve(root, 'start', directory));
  }
  return { line, directories };
}

/** Returns the marks that bash reached, one `LINE NUMBER DIRECTORY` a row. */
function run(lines: readonly string[]): readonly string[] {
  const out = join(root, 'out');
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const calls = lines.map((line, at) => `LINE=${at}; ( cd "$ROOT/start" && eval ${quoted(line)}; wait )`);
  writeFileSync(join(root, 'lines'), `${PRELUDE}\n${calls.join('\n')}\n`);
  writeFileSync(out, '');
  execFileSync('bash', ['--norc', join(root, 'lines')], { env: { PATH: process.env['PATH'], OUT: out, ROOT: root } });
  return readFileSync(out, 'utf8').split('\n').slice(0, -1);
}

it.each([
  'cd a && while some; do mark 1; cd /etc; done',
  'cd a && for i in 1 2; do mark 1 && cd b; done',
  'cd a && while cd b && mark 1; do true; done',
  'cd a && for i in 1 2; do cd b && mark 1; done',
  'cd /x && for i in 1 2; do for j in 1 2; do mark 1; cd a; done; done',
  'while some; do cd /x && for i in 1 2; do mark 1; cd /etc; done; done',
])('the directory of the mark is not known, because a later round starts in another one: %s', (line) => {
  expect(predicted(line)?.directories).toEqual(new Map([['1', null]]));
});

it('the directory in a loop is known if each round sets it again, or no round changes it', () => {
  const found = (line: string) => predicted(line)?.directories.get('1');
  expect(found('while some; do cd /x && mark 1; cd /etc; done')).toBe('/x');
  expect(found('cd /x && for i in 1 2; do mark 1; done; cd /etc')).toBe('/x');
});

const LINES = Number(process.env['APE_TEST_LINES'] ?? 3_000);

it('the directory of each command is the one in which bash starts it, in every round, or it is not known', () => {
  const seed = Number(process.env['APE_TEST_SEED'] ?? 20_261_130);
  const lines = new Lines(seeded(seed));
  const predictions = Array.from({ length: LINES }, () => predicted(lines.next())).filter((each) => each !== null);
  const faults: string[] = [];
  let known = 0;
  for (const row of run(predictions.map(({ line }) => line))) {
    const [at = '', number = '', ...names] = row.split(' ');
    const path = names.join(' ').replace(/^\/\//, '/'); // POSIX allows `//` as another root; Linux has one
    const prediction = predictions[Number(at)];
    const directory = prediction?.directories.get(number);
    if (directory === null) continue;
    known += 1;
    if (directory !== path)
      faults.push(`${JSON.stringify(prediction?.line)}: mark ${number} starts in ${path}, not ${directory}`);
  }
  expect(faults.slice(0, 20)).toEqual([]);
  expect(known).toBeGreaterThan(LINES / 2);
});
