/** The rule files describe the GNU tools. This file finds words that have another meaning in the tools of macOS and the BSDs. */
import type { Word } from '../reading/reading.ts';
import type { CommandContext } from './command-context.ts';
import type { Arguments } from './read-arguments.ts';

/**
 * The options of each tool. In the sed of the BSDs, `-i` takes the next word as the suffix of a backup, and `-l` takes no value. The
 * BSDs number some signals otherwise: there, 17 is SIGSTOP, and 10 is SIGBUS. In their `ls`, `-I`, `-T` and `-w` take no value, so the next
 * word is a directory to list; `-D` takes a value. In older versions of macOS, `date -d` sets the kernel's daylight saving time.
 */
const READ_OTHERWISE: ReadonlyMap<string, readonly string[]> = new Map([
  ['date', ['-d']],
  ['ls', ['-D', '-I', '-T', '-w']],
  ['sed', ['-i', '-l']],
  ['kill', ['-10', '-12', '-17', '-18', '-19', '-20']],
  ['pkill', ['-10', '-12']],
]);

/**
 * The operands of each tool. bsdtar adds all files of the archive `x` for the operand `@x`. In the chmod of macOS, the mode `+a` takes the
 * next word as an entry of an access list.
 */
const OPERANDS_READ_OTHERWISE: ReadonlyMap<string, { readonly pattern: RegExp; readonly isOnlyFirst: boolean }> =
  new Map([
    ['chmod', { pattern: /^[+=]a/, isOnlyFirst: true }],
    ['tar', { pattern: /^@/, isOnlyFirst: false }],
  ]);

/** Returns why the command is opaque on a host that may have BSD tools. Returns null for other commands and hosts. */
export function bsdVeto(tool: string, { uses, operands }: Arguments, { hasBsdTools }: CommandContext): string | null {
  if (hasBsdTools !== true) return null;
  const options = READ_OTHERWISE.get(tool);
  const use = options === undefined ? undefined : uses.find(({ name }) => options.includes(name));
  const other = OPERANDS_READ_OTHERWISE.get(tool);
  const operand =
    other && operands.slice(0, other.isOnlyFirst ? 1 : undefined).find((word) => mayBe(word, other.pattern));
  const word = use?.name ?? operand?.source;
  return word === undefined ? null : `reads ${word} differently on macOS and the BSDs`;
}

/** Whether the word matches, or may match at run time. No pattern needs more than two characters, so two known characters decide. */
const mayBe = (word: Word, pattern: RegExp): boolean =>
  word.kind === 'literal' ? pattern.test(word.value) : word.prefix.length < 2 || pattern.test(word.prefix);
