// biome-ignore-all lint/suspicious/noTemplateCurlyInString: bash writes its expansions so
/** Changes a line at a few random places, or puts the canary into it. */
import type { Random } from './random.ts';

const TOKENS = [
  '$(cnry)',
  '`cnry`',
  '<(cnry)',
  '>(cnry)',
  '$(',
  ')',
  '(',
  '{',
  '}',
  ';',
  '&',
  '&&',
  '||',
  '|',
  '|&',
  '\\',
  "'",
  '"',
  "$'",
  '$"',
  '`',
  '#',
  '!',
  '~',
  '*',
  '?',
  '[',
  ']',
  '<',
  '>',
  '>>',
  '<<',
  '<<<',
  '>&',
  '<&',
  '&>',
  '>|',
  '2>&1',
  '{a,b}',
  '$x',
  '${x}',
  '${',
  '$((',
  '))',
  '$[',
  '[[',
  ']]',
  '((',
  'EOF',
  'cnry',
  'p',
  'q',
  'if',
  'then',
  'fi',
  'do',
  'done',
  'case',
  'esac',
  'in',
  'time',
  'coproc',
  'function',
  'f()',
  'x=',
  'x=(',
  'a[',
  ']=',
  '+=',
  "$'\\''",
  "\\'",
  '\\"',
  '${x:-$(cnry)}',
  '${x/$(cnry)}',
  '${x@P}',
  '${!x}',
  '@(a|b)',
  '!(cnry)',
  '{fd}>',
  '<<EOF',
  "<<'EOF'",
  '<<-EOF',
  ';;',
  ';&',
  '-eq',
  '=~',
  '==',
  '$((1))',
  'x[$(cnry)]=',
  '${x[$(cnry)]}',
  '${a[$t]}',
  '{1..3}',
  '3',
  '-',
  '=',
  '#',
  ':',
  ',',
  'é',
  ' ',
  '\n',
  '\t',
  '\r',
  '\\\n',
  '\u00a0',
  '\u200b',
  '\v',
  '\f',
  '\u0001',
  '\u007f',
  '\n$(cnry)\nEOF\n',
  '# comment\n',
];

/** Shows whether bash starts a substitution that our parser did not read. */
const CANARY = '$(cnry)';

/**
 * The line with one to four random edits.
 * @param others lines from which an edit may copy a piece
 */
export function mutate(line: string, others: readonly string[], random: Random): string {
  let text = line;
  for (let left = 1 + random.below(4); left > 0; left--) text = edit(text, others, random);
  return text.replaceAll('\0', '');
}

function edit(text: string, others: readonly string[], random: Random): string {
  const at = random.below(text.length + 1);
  const end = Math.min(text.length, at + 1 + random.below(8));
  switch (random.below(7)) {
    case 0:
      return text.slice(0, at) + text.slice(end);
    case 1:
      return text.slice(0, end) + text.slice(at, end) + text.slice(end);
    case 2: {
      const other = random.pick(others);
      const from = random.below(other.length + 1);
      return text.slice(0, at) + other.slice(from, from + 1 + random.below(20)) + text.slice(at);
    }
    case 3:
      return text.slice(0, at) + random.pick(TOKENS) + text.slice(end);
    default:
      return text.slice(0, at) + random.pick(TOKENS) + text.slice(at);
  }
}

/** The line once for each of its positions, with the canary there. */
export const withCanary = (line: string): readonly string[] =>
  Array.from({ length: line.length + 1 }, (_, at) => line.slice(0, at) + CANARY + line.slice(at));
