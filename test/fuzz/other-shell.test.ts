// biome-ignore-all lint/suspicious/noTemplateCurlyInString: bash writes its expansions so
/**
 * Compares our reading of `sh -c TEXT` with the shell of this machine that is called `sh`: dash on Debian. The texts mix what every shell
 * reads alike with what only bash reads so. Each program with other arguments than were read, and each file that was not read, is a fault.
 */
import { fileURLToPath } from 'node:url';
import { parse } from 'unbash';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseText } from '../../src/core/reading/parse-text.ts';
import { understood } from './compare.ts';
import { compareAll, programsOf, randomLines } from './differential.ts';
import { type Random, seeded } from './random.ts';
import { makeSandbox, type Sandbox } from './sandbox.ts';

/** Words that bash takes for something else than the name of a program. */
const NAMES_ELSEWHERE = ['time', '[[', '1', 'v+=a', 'v[0]=a', 'function', 'select', 'coproc'];

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = makeSandbox(fileURLToPath(new URL('sandbox', import.meta.url)), [...programsOf([]), ...NAMES_ELSEWHERE]);
});
afterAll(() => sandbox.remove());

const inSh = (text: string): string => `sh -c '${text.replaceAll("'", `'\\''`)}'`;
const isUnderstood = (line: string): boolean => understood(parseText(line, parse), parse) !== null;

/** What POSIX defines. */
const ALIKE = [
  'a',
  '-x',
  'k=v',
  'é',
  'Á',
  '$',
  '{}',
  '\\ ',
  '\\{',
  "'a b'",
  "'{'",
  '"a  b"',
  '"}"',
  '"$x"',
  '$x',
  '$1',
  '$10',
  '"$@"',
  '$#',
  '${x}',
  '"${e:-a b}"',
  '${x:-"a b"}',
  '${x+a  b}',
  '${#x}',
  '"${x#a}"',
  '${x%%" b"}',
  '${u-*}',
  '$((1 + 2))',
  '"$(q a)"',
  '`q`',
  '$( (q) )',
  '=*',
  '=f?',
  '=[!f]*',
  '=[^f]*',
  '[[:punct:]]f1',
  '[',
  '~',
  '~/a',
  'b=~',
  ':~',
  '!',
  '#',
  'time',
  ']]',
  '"${x#"a"}"',
  '"${x%%"a b"}"',
  '${x:-~}',
  '"${x:-~}"',
  '${x#~}',
  '$-',
  '$*',
  '"$*"',
  '$@',
  '${u-$(q a)}',
  '"${u-`q`}"',
  'a#b',
  '=',
  ':',
  '-',
  '+',
  '@',
  '%1',
  '^',
  ',',
  '$(p # x\n)',
  '$(q; r)',
  '?*',
  '[!]a]*',
  '[]=]*',
  '[a-]*',
  '[[=a=]]f1',
  '\\[',
  '"["',
  '$((010))',
  '$((1 ? 2 : 3))',
  '$((1 < 2))',
  '$((1 && 0))',
  '${1}',
  '${10}',
  '$0',
  '${#}',
  '${##}',
  '${u:+"a b"}',
  '"\\a\\$"',
  '"\\"',
  '"a!b"',
  "'!'",
  '\n',
];
/** What dash does not read as bash does. */
const OTHERWISE = [
  '"${e:-"a b"}"',
  '"${u-"*"}"',
  '$=*',
  '$~x',
  '$^x',
  '$:x',
  '$[1+2]',
  '$[1 + 2]',
  "$'a\\tb'",
  '$"a b"',
  '${x//a/b}',
  '${x/a}',
  '${x^}',
  '${x:1:1}',
  '${x@Q}',
  '${!x}',
  '${x[0]}',
  '@(=f1|a)',
  '!(=f1)',
  '~+',
  '~-',
  '<(q)',
  '>(q)',
  '{fd}',
];

class Texts {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): string {
    const count = 1 + this.#random.below(3);
    return Array.from({ length: count }, () => this.#command(0)).join(
      this.#random.pick(['; ', ' && ', ' || ', ' | ', '\n', ' |& ', ' & ']),
    );
  }

  #command(depth: number): string {
    if (depth > 1 || this.#random.chance(0.75)) return this.#simple();
    const inner = () => this.#command(depth + 1);
    return this.#random.pick([
      () => `{ ${inner()}; }`,
      () => `( ${inner()} )`,
      () => `((${inner()}))`,
      () => `! ${inner()}`,
      // After `|`, bash too takes `time` for a program.
      () => `{ time ${inner()}; }`,
      () => `( time -p ${inner()} )`,
      () => `if ${inner()}; then ${inner()}; else ${inner()}; fi`,
      () => `for i in ${this.#word()} ${this.#word()}; do p "$i"; done`,
      () => `for i in ${this.#word()}; { p $i; }`,
      () =>
        `case ${this.#word()} in ${this.#word()}) ${inner()} ${this.#random.pick([';;', ';&', ';;&'])} *) ${inner()};; esac`,
      () => `[[ ${this.#word()} == ${this.#word()} ]]`,
      () => `[[ -n ${this.#word()} ]] && ${inner()}`,
      () => '((1 < 2))',
      () => `function f { ${inner()}; }`,
      () => `f() { ${inner()}; }; f`,
      () => `select i in ${this.#word()}; do ${inner()}; done`,
      () => `coproc ${inner()}`,
      () => `for ((i = 0; i < 1; i++)); do ${inner()}; done`,
    ])();
  }

  #simple(): string {
    const words = Array.from({ length: this.#random.below(4) }, () => this.#word());
    const name = this.#random.pick([
      'p',
      'p',
      'q',
      'q',
      'r',
      'echo',
      'echo -e',
      'test a ==',
      'export',
      ':',
      '\\p',
      '"q"',
    ]);
    const before = this.#random.chance(0.1)
      ? `${this.#random.pick(['v=', 'v+=', 'v[0]=', 'v=('])}${this.#word()} `
      : '';
    return `${before}${[name, ...words].join(' ')}${this.#random.chance(0.25) ? ` ${this.#redirection()}` : ''}`;
  }

  #redirection(): string {
    const target = this.#random.pick(['o1', '"o 2"', 'o\\ 3', '{o4,"o 5"}', '=?']);
    return this.#random.pick([
      `> ${target}`,
      `>>${target}`,
      `2>${target}`,
      `>|${target}`,
      `<>${target}`,
      `&> ${target}`,
      `&>>${target}`,
      `>&${target}`,
      `>& ${target}`,
      `{fd}>${target}`,
      '2>&1',
      '>&2',
      '2>&-',
      '2>&1-',
      `01>${target}`,
      '02>&1',
      '< =f1',
      `<<<${this.#word()}`,
      `<<E\n${this.#word()}\nE\n`,
      `<<'E'\n${this.#word()}\nE\n`,
      `<<-E\n\t${this.#word()}\n\tE\n`,
    ]);
  }

  #word(): string {
    const count = this.#random.chance(0.6) ? 1 : 2 + this.#random.below(2);
    return Array.from({ length: count }, () => this.#piece(0)).join('');
  }

  #piece(depth: number): string {
    if (depth < 3 && this.#random.chance(0.12)) return this.#braces(depth + 1);
    return this.#random.pick(this.#random.chance(0.07) ? OTHERWISE : ALIKE);
  }

  /** Also braces that bash does not expand, and braces that are not closed. */
  #braces(depth: number): string {
    const parts = Array.from({ length: this.#random.below(4) }, () =>
      this.#random.chance(0.2) ? '' : this.#piece(depth),
    );
    return `{${parts.join(this.#random.pick([',', ',', ',', '..', '","', '\\,']))}${this.#random.pick(['}', '}', '}', '}', '"}"', ''])}`;
  }
}

it.each([
  'p src/{a,"b c"}/k',
  'p {a\\ x,b}',
  'p {a"}",b}',
  "p {a,'b c'}",
  'p {"a b",c}',
  'p {a,b}',
  'p {1..3}',
  'p x{$x,b}',
  'p {a,$(q "b c")}',
  'p > {o1,"o 2"}',
  'for i in {a,"b c"}; do p "$i"; done',
  'p $[1+1]',
  'p "$[1 + 1]"',
  'p $[1 + 1]',
  "p $'a\\tb'",
  'p $"a"',
  'p ${x//a/b}',
  'p ${x:1}',
  'p ${x^}',
  'p ${x[1]}',
  'p <(q)',
  'p <<< a',
  'p &> o1',
  'p &>> o1',
  'p >& o1',
  'p >&o1',
  'p 2>&1-',
  'p |& q',
  'p {fd}> o1',
  'time p',
  'time -p p',
  '[[ -n a ]]',
  '((1))',
  'v+=a p',
  'v[0]=a p',
  'v=(a b)',
  'v=1 :; p "$v"',
  'export v=$x',
  'case a in a) p ;& b) q;; esac',
  'chdir /; p',
  'source =f1',
  'declare v=1',
  'function f { p; }',
  'select i in a; do p; done',
  'v=1 p "$v"',
  'v=1',
  'export v=1',
  'for i in a b; do p "$i"; done',
  'p 01>&2',
  'p 007>o1 b',
  'p "${e:-"a b"}"',
  'p <<E\n${e:-"a b"}\nE',
  'p $=x',
  'p "a$=x"',
  'p a$^x*',
  'p $~`q`',
  'p "a"b=~',
  'p "a"b=~/x',
  'p ./b:~',
  'p "a$"b$c=~',
  'p ~/a$=x',
  'p &!q',
  '%1 p',
])('is opaque for sh: %s', (text) => {
  expect(isUnderstood(inSh(text))).toBe(false);
});

it.each([
  'p "{a,b}"',
  'p {}',
  "p '$[1+1]'",
  'p "$\'a\'"',
  'p ${x:-a b} "${x#a}" ${#x}',
  'p $((1 + 2))',
  'p time function select source',
  'p =* [!a]* ~/x',
  'p > o1 2>&1',
  'p 2>&-',
  '! p | q && { r; }; (p)',
  'case "$x" in a|b) p;; *) q;; esac',
  'p 1>o1 2>o2',
  'p <<E\n$x\nE',
  'p a$ "b$" \\$=x "\\$=x" \'$=x\'',
  'p "=~" \'=~\' =\\~ b=~ ~',
])('is read for sh, and dash does what was read: %s', (text) => {
  const tally = compareAll([inSh(text)], sandbox);
  expect([tally.compared, tally.faults]).toEqual([1, []]);
});

const TEXTS = Number(process.env['APE_TEST_LINES'] ?? 4_000);
const SEED = Number(process.env['APE_TEST_SEED'] ?? 20_261_130);

it('sh starts nothing that was not read in the texts', () => {
  const texts = new Texts(seeded(SEED));
  const tally = compareAll(
    Array.from({ length: TEXTS }, () => inSh(texts.next())),
    sandbox,
  );
  expect(tally.faults.slice(0, 20)).toEqual([]);
  expect(tally.compared).toBeGreaterThan(TEXTS / 6);
  expect(tally.started).toBeGreaterThan(TEXTS / 5);
});

it('sh starts nothing that was not read in the random lines for bash', () => {
  const lines = [...randomLines(SEED, TEXTS / 2, [])].map(inSh);
  const tally = compareAll(lines, sandbox);
  expect(tally.faults.slice(0, 20)).toEqual([]);
  expect(tally.compared).toBeGreaterThan(TEXTS / 40);
});
