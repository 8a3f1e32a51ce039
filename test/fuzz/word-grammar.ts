/** Makes random words of every shape that bash expands to file names: braces, tildes, globs, escapes, quotes, `..`, links. */
import type { Random } from './random.ts';

const NAMES = [
  'src',
  'a',
  'b',
  'c',
  'a.ts',
  'b.md',
  'lnk',
  'in',
  'deep',
  'dangling',
  '.git',
  'config',
  '.envrc',
  '.npmrc',
  'x y',
  '-x',
  '[x]',
  '{}',
  '*',
  '~root',
  'new',
  'é',
  'secret',
  '.claude',
  'up',
  'loop',
  'opencode.json',
  '{1}',
  'a,b',
];
const GLOBS = [
  '*',
  '?',
  '[ab]',
  '[!a]',
  '[^b]',
  '[a-z]',
  '[.]',
  '[]x]',
  '**',
  '*.ts',
  '.gi?',
  '.*',
  '.?*',
  '??',
  '[[:alpha:]]',
  '.e*',
  '*nk',
  '*.',
  '.[g]it',
  'l?k',
  '[',
  ']',
  'a[',
  '?*',
  '.??*',
  '-*',
  '[-]x',
  '*x',
];
const DOTS = ['.', '..', './', '../', '/', '//', '.', '..'];
const TILDES = ['~', '~/', '~root', '~root/', '~+', '~+/', '~-', '~-/', '~nobody-here/', '~/.ssh'];
const BRACES = [
  '{1..3}',
  '{a..c}',
  '{c..a}',
  '{03..1}',
  '{a..c..2}',
  '{a}',
  '{}',
  '{,}',
  '{.,}',
  '{,.}',
  '{.,..}',
  '{/,x}',
  '{a,b',
  'a,b}',
];

/** One word, as a line would have it. */
export function randomWord(random: Random): string {
  let word = random.chance(0.15) ? random.pick(TILDES) : '';
  if (random.chance(0.1)) word += random.pick(['/', '/etc/', './', '../', '""', "''"]);
  for (let left = between(random, 1, 5); left > 0; left--) word += piece(random, 2);
  return word;
}

function piece(random: Random, depth: number): string {
  const kind = random.below(12);
  if (kind <= 2) return spelled(random, random.pick(NAMES));
  if (kind <= 4) return random.pick(GLOBS);
  if (kind <= 7) return random.pick(DOTS);
  if (kind === 8) return random.pick(BRACES);
  if (kind === 9 && depth > 0) return braces(random, depth);
  if (kind === 10) return spelled(random, random.pick([...DOTS, ...GLOBS, ...TILDES]));
  return '/';
}

function braces(random: Random, depth: number): string {
  const parts = Array.from({ length: between(random, 2, 3) }, () =>
    random.chance(0.2) ? '' : piece(random, depth - 1) + (random.chance(0.3) ? piece(random, depth - 1) : ''),
  );
  return `{${parts.join(',')}}`;
}

/** Quotes or escapes the text in one of bash's ways. */
function spelled(random: Random, text: string): string {
  switch (random.below(6)) {
    case 0:
      return `'${text}'`;
    case 1:
      return `"${text}"`;
    case 2:
      return [...text].map((each) => (random.chance(0.5) ? `\\${each}` : each)).join('');
    default:
      return text.replaceAll(' ', '\\ ');
  }
}

const between = (random: Random, from: number, to: number): number => from + random.below(to - from + 1);
