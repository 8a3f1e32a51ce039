// biome-ignore-all lint/suspicious/noTemplateCurlyInString: bash writes its expansions so
/** Makes random command lines with every construct of bash, in odd spellings. No line names a path outside of the working directory. */
import type { Random } from './random.ts';

export const PROGRAMS = ['p', 'q', 'r', 'cnry'] as const;

const LITERALS = [
  'a',
  'b',
  '-x',
  '--long=v',
  '-',
  '--',
  '1',
  '=',
  'k=v',
  'a.b',
  'é',
  '%',
  '@',
  ',',
  ':',
  '+',
  'a#b',
  'A_1',
];
const KEYWORDS = [
  'if',
  'then',
  'fi',
  'do',
  'done',
  'for',
  'in',
  'case',
  'esac',
  'time',
  '!',
  '{',
  '}',
  'select',
  'else',
  'coproc',
];
const ESCAPES = [
  '\\ ',
  '\\;',
  '\\|',
  '\\&',
  '\\$',
  '\\"',
  "\\'",
  '\\\\',
  '\\(',
  '\\)',
  '\\<',
  '\\>',
  '\\`',
  '\\#',
  '\\a',
  '\\\n',
  '\\*',
  '\\{',
  '\\~',
  '\\!',
];
const SINGLE = ['', 'a', 'a b', '$(cnry)', '`cnry`', '; cnry', '"', '\\', '#', '\n', '${x}', '*'];
const ANSI = [
  'a',
  '\\n',
  '\\x41',
  '\\101',
  "\\'",
  '\\\\',
  '\\u00e9',
  ' ',
  '"',
  '$(cnry)',
  '\\t',
  '\\cA',
  '\\e',
  '`',
  '\\"',
  '\\?',
  '\\q',
  '\\x',
  '\\x{41}',
];
const NAMES = ['x', 'y', 'e', 'u', 's', 't', 'n', 'HOME', '1', '@', '*', '#', '?', '-', '$', '!', '_', '0'];
const OPERATIONS = [
  ':-',
  '-',
  ':+',
  '+',
  '#',
  '##',
  '%',
  '%%',
  '/',
  '//',
  '/#',
  '/%',
  '^',
  '^^',
  ',',
  ',,',
  ':?',
  '=',
  ':=',
  '@P',
  '@Q',
  ':0:1',
  ':1',
  ':n',
];
const PATTERNS = [
  '*',
  '?',
  '[ab]',
  '[!a]',
  '=*',
  '=f?',
  '{a,b}',
  '{1..3}',
  '{a,}',
  'a{b,c}d',
  '{a}',
  '{}',
  '{,}',
  '@(a|b)',
  '!(a)',
  '~',
  '~/a',
  '~x',
  '[',
  ']',
  'a[1]',
  '{a,b',
  '[a-',
  '*.c',
];
const LIVE = [
  '$(cnry)',
  "'$(cnry)'",
  '"$(cnry)"',
  '`cnry`',
  '\\$(cnry)',
  "$'$(cnry)'",
  `"'$(cnry)'"`,
  '\\`cnry\\`',
  '${u-$(cnry)}',
  '"',
  "'",
];
const BLANKS = [' ', '  ', '\t', ' \\\n', ' \t '];

export function randomLine(random: Random): string {
  return new Writer(random).line();
}

class Writer {
  readonly #random: Random;
  #documents: string[] = [];
  #depth = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  line(): string {
    const text = this.#list(1 + this.#random.below(3));
    const comment = this.#random.chance(0.05) ? ' # $(cnry) ; cnry' : '';
    return text + comment + this.#pendingDocuments();
  }

  #pendingDocuments(): string {
    const bodies = this.#documents.map((each) => `\n${each}`).join('');
    this.#documents = [];
    return bodies;
  }

  #list(length: number): string {
    const pieces: string[] = [];
    for (let index = 0; index < length; index++) {
      pieces.push(this.#pipeline());
      if (index < length - 1) pieces.push(this.#separator());
    }
    return pieces.join('');
  }

  #separator(): string {
    const text = this.#random.pick([' && ', ' || ', '; ', ';', '&&', '||', ' & ', '&', '\n', '\n\n', ' &&\n', ' ;\n']);
    return text.includes('\n') && this.#documents.length > 0 ? text.trimEnd() + this.#pendingDocuments() + '\n' : text;
  }

  #pipeline(): string {
    const before = this.#random.chance(0.05)
      ? this.#random.pick(['! ', 'time ', 'time -p ', '! ! ', 'time ! ', '!'])
      : '';
    const length = this.#random.chance(0.25) ? 2 + this.#random.below(2) : 1;
    const commands = Array.from({ length }, () => this.#command());
    return before + commands.join(this.#random.pick([' | ', '|', ' |& ', ' |\n']));
  }

  #command(): string {
    if (this.#depth > 3 || this.#random.chance(0.72)) return this.#simple();
    this.#depth++;
    const text = this.#compound() + (this.#random.chance(0.2) ? this.#blank() + this.#redirection() : '');
    this.#depth--;
    return text;
  }

  #body(): string {
    return this.#list(1 + this.#random.below(2));
  }

  #compound(): string {
    switch (this.#random.below(13)) {
      case 0:
        return `( ${this.#body()} )`;
      case 1:
        return `(${this.#body()})`;
      case 2:
        return `{ ${this.#body()}; }`;
      case 3:
        return `if ${this.#body()}; then ${this.#body()}; fi`;
      case 4:
        return `if ${this.#body()}\nthen ${this.#body()}\nelif ${this.#body()}; then ${this.#body()}; else ${this.#body()}; fi`;
      case 5:
        return `for i in ${this.#words(2)}; do ${this.#body()}; done`;
      case 6:
        return `while ${this.#body()}; do ${this.#body()}; break; done`;
      case 7:
        return `until ${this.#body()}; do ${this.#body()}; break; done`;
      case 8:
        return `case ${this.#word()} in ${this.#word()}) ${this.#body()} ;; (${this.#word()}|*) ${this.#body()} ;; esac`;
      case 9:
        return `[[ ${this.#test()} ]]`;
      case 10:
        return `(( ${this.#arithmetic()} ))`;
      case 11:
        return `case ${this.#word()} in\n ${this.#word()} ) ${this.#body()} ${this.#random.pick([';;', ';&', ';;&'])}\n *) ${this.#body()}\nesac`;
      default:
        return this.#random.pick([
          `f() { ${this.#body()}; }`,
          `for (( i = 0; i < 1; i++ )); do ${this.#body()}; done`,
          `coproc ${this.#simple()}`,
          `for i do ${this.#body()}; done`,
          `{ ${this.#body()}\n}`,
          `((${this.#body()}) )`,
          `( (${this.#body()}); ${this.#body()} )`,
          `((${this.#simple()}))`,
          `for i in ${this.#words(2)}\ndo\n${this.#body()} # $(cnry)\ndone`,
          `for i in a; { ${this.#body()}; }`,
          `function f { ${this.#body()}; }`,
        ]);
    }
  }

  #test(): string {
    return this.#random.pick([
      () => `-n ${this.#word()}`,
      () => `${this.#word()} == ${this.#word()}`,
      () => `${this.#word()} =~ ${this.#word()}`,
      () => `${this.#word()} -eq ${this.#word()}`,
      () => `! -z ${this.#word()} && ${this.#word()} != ${this.#word()}`,
      () => `( -f ${this.#word()} ) || ${this.#word()} < ${this.#word()}`,
      () => `-v ${this.#word()}`,
      () =>
        `${this.#word()} =~ ${this.#random.pick(['(a|b)', 'a(b)c', '^a$', '$(cnry)(a)', '[(]', '(a b)', '\\(', '"("'])}`,
      () => `${this.#word()} == @(a|$(cnry))`,
    ])();
  }

  #arithmetic(): string {
    return this.#random.pick([
      '1',
      '1 + 2',
      'n',
      't',
      'n++',
      '$n',
      '2 ** 3',
      '1 ? 2 : 3',
      '$(cnry)',
      '`cnry`',
      '"$(cnry)"',
      "'1'",
      '(1)',
      '1, 2',
      '0x1f',
      'x[$(cnry)]',
      '1 << 2',
      '16#ff',
      '~1',
      '${n}',
      '$((1))',
    ]);
  }

  #simple(): string {
    const parts: string[] = [];
    while (this.#random.chance(0.1)) parts.push(this.#assignment());
    if (this.#random.chance(0.08)) parts.push(this.#redirection());
    if (this.#random.chance(0.96) || parts.length === 0) parts.push(this.#name());
    for (let left = this.#random.below(4); left > 0; left--)
      parts.push(this.#random.chance(0.15) ? this.#redirection() : this.#word());
    return parts.map((part, index) => (index === 0 ? part : this.#blank() + part)).join('');
  }

  #blank(): string {
    return this.#random.chance(0.85) ? ' ' : this.#random.pick(BLANKS);
  }

  #name(): string {
    if (this.#random.chance(0.9)) return this.#random.pick(PROGRAMS);
    return this.#random.pick([
      '"p"',
      "q''",
      '\\p',
      'echo',
      'true',
      'false',
      ':',
      'cd',
      '$x',
      '$(cnry)',
      "$'q'",
      'p\\\n',
      'e\\cho',
      '{p,a}',
      'p#',
    ]);
  }

  #assignment(): string {
    return this.#random.pick([
      () => `v=${this.#word()}`,
      () => `v+=${this.#word()}`,
      () => `w=(${this.#words(2)})`,
      () => `w[${this.#random.pick(['0', '1', '$(cnry)', 'n'])}]=${this.#word()}`,
      () => 'v=',
    ])();
  }

  #redirection(): string {
    const number = this.#random.chance(0.3) ? this.#random.pick(['1', '2', '3', '0', '12', '{fd}']) : '';
    switch (this.#random.below(8)) {
      case 0: {
        const isQuoted = this.#random.chance(0.4);
        const dash = this.#random.chance(0.3) ? '-' : '';
        const body = this.#random.pick([
          '',
          'text\n',
          '$(cnry)\n',
          '`cnry`\n',
          '$x\n',
          '\\$(cnry)\n',
          "'$(cnry)'\n",
          '\\\n',
          'a\\\n',
          '"\n',
        ]);
        this.#documents.push(`${body}${dash && this.#random.chance(0.5) ? '\t' : ''}EOF`);
        return `${number}<<${dash}${isQuoted ? this.#random.pick(["'EOF'", '"EOF"', '\\EOF', "E'O'F"]) : 'EOF'}`;
      }
      case 1:
        return `${number}<<<${this.#random.pick(['', ' '])}${this.#word()}`;
      case 2:
        return `${number}>&${this.#random.pick(['1', '2', '-', ' 2', 'o1', '$n', '2-'])}`;
      case 3:
        return `${this.#random.pick(['&>', '&>>', '>&'])}${this.#random.pick(['', ' '])}${this.#target()}`;
      default:
        return `${number}${this.#random.pick(['>', '>>', '<', '>|', '<>', '<&'])}${this.#random.pick(['', ' '])}${this.#target()}`;
    }
  }

  #target(): string {
    return this.#random.chance(0.7) ? this.#random.pick(['o1', 'o2', '"o 3"', "'o4'", 'o\\ 5']) : this.#word();
  }

  #words(most: number): string {
    return Array.from({ length: 1 + this.#random.below(most) }, () => this.#word()).join(' ');
  }

  #word(): string {
    const length = this.#random.chance(0.6) ? 1 : 1 + this.#random.below(3);
    return Array.from({ length }, () => this.#piece()).join('');
  }

  #piece(): string {
    switch (this.#random.below(16)) {
      case 0:
        return this.#random.pick(ESCAPES);
      case 1:
        return `'${this.#random.pick(SINGLE)}'`;
      case 2:
        return `"${this.#inDoubleQuotes()}"`;
      case 3:
        return `$'${Array.from({ length: 1 + this.#random.below(2) }, () => this.#random.pick(ANSI)).join('')}'`;
      case 4:
        return this.#expansion();
      case 5:
        return this.#substitution();
      case 6:
        return this.#random.pick(PATTERNS);
      case 7:
        return this.#random.chance(0.5)
          ? this.#random.pick(KEYWORDS)
          : `$"${this.#random.pick(['a', '$(cnry)', '$x'])}"`;
      default:
        return this.#random.pick(LITERALS);
    }
  }

  #inDoubleQuotes(): string {
    return Array.from({ length: this.#random.below(3) }, () =>
      this.#random.pick([
        () =>
          this.#random.pick([
            'a',
            ' ',
            "'",
            '\\"',
            '\\$',
            '\\`',
            '\\\\',
            '\\a',
            '#',
            ';',
            '*',
            '\n',
            '\\\n',
            '!',
            '(',
            '}',
          ]),
        () => this.#expansion(),
        () => this.#substitution(),
      ])(),
    ).join('');
  }

  #expansion(): string {
    const name = this.#random.pick(NAMES);
    if (this.#random.chance(0.4)) return `$${name}`;
    if (this.#random.chance(0.3)) return `\${${this.#random.pick(['', '#', '!'])}${name}}`;
    if (this.#depth > 4) return '$x';
    this.#depth++;
    const operation = this.#random.pick(OPERATIONS);
    const operand = /[@]|:[01n]/.test(operation) ? '' : this.#operand();
    const second = operation.startsWith('/') && this.#random.chance(0.7) ? `/${this.#word()}` : '';
    this.#depth--;
    return `\${${name}${this.#random.chance(0.05) ? '[0]' : ''}${operation}${operand}${second}}`;
  }

  /** The quotes around the whole expansion decide which characters are special in its operand. */
  #operand(): string {
    if (this.#random.chance(0.6)) return this.#word();
    return this.#random.pick(LIVE) + (this.#random.chance(0.3) ? this.#piece() : '');
  }

  #substitution(): string {
    if (this.#depth > 4) return '$(cnry)';
    this.#depth++;
    const outer = this.#documents;
    this.#documents = [];
    const inside = () => this.#list(1) + this.#pendingDocuments();
    const text = this.#random.pick([
      () => withEnd('$(', inside(), ')'),
      () => withEnd('$( ', inside(), ' )'),
      () => withEnd('<(', inside(), ')'),
      () => withEnd('>(', inside(), ')'),
      () => `\`${this.#random.pick(['cnry', 'q a', 'p "b"', 'p \\`cnry\\`', "q 'a'", 'cnry; q', 'p $x'])}\``,
      () => `$((${this.#arithmetic()}))`,
      () => `$[${this.#arithmetic()}]`,
      () => '$(< =f1)',
      () => `$((${this.#simple()}); ${this.#simple()})`,
      () => `$((${this.#simple()}))`,
      () => withEnd('$(', `${inside()} # ) $(cnry`, '\n)'),
      () => withEnd('$(', `case ${this.#random.pick(['x', '$x'])} in x) ${inside()};; a | b) q;; esac`, ')'),
      () => withEnd('$(', `if ${inside()}; then p; fi`, ')'),
    ])();
    this.#documents = outer;
    this.#depth--;
    return text;
  }
}

/** The end word of a here-document has a line of its own. */
const withEnd = (before: string, inside: string, after: string): string =>
  before + inside + (inside.includes('\n') ? '\n' : '') + after;
