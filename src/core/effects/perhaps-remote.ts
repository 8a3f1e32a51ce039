/**
 * docker takes a word such as `github.com/a/b` or `git@example.com:a.git` as the address of a repository if no directory has this name. So
 * only a word that is certainly a local path is understood.
 */
import type { Word } from '../reading/reading.ts';
import { because, type Reason } from '../reasons/reason.ts';
import type { Arguments } from './read-arguments.ts';
import { isHomeWord } from './word-shape.ts';

const TOOLS: ReadonlySet<string> = new Set(['docker', 'podman']);

/** Returns why a word of the command may be an address; null: no word may be an address, or the command takes no addresses. */
export function perhapsRemote(tool: string, { command, uses, operands }: Arguments): Reason | null {
  if (!TOOLS.has(tool)) return null;
  const [, verb] = command.operation.split(' ');
  const words =
    verb === 'build'
      ? operands
      : verb === 'compose'
        ? uses.flatMap(({ rule, value }) => (rule.canonical === '--file' && value !== null ? [value] : []))
        : [];
  const found = words.find((word) => !isLocal(word));
  return found === undefined ? null : because('may-be-at-other-host', found.source);
}

/** A path that is `.` or `..`, or begins with `/`, `./` or `../`. No address begins like this. */
const BEGINS_LOCAL = /^(?:\/|\.{1,2}(?:\/|$))/;
/** A path that no tool takes for an address: it has no colon, and the part before its first slash has no dot. So this part is no host. */
const IS_LOCAL = /^(?:[^\s:@#/.]+(?:\/[^:]*)?|[^\s:@#/]+)$/;

const isLocal = (word: Word): boolean =>
  word.kind === 'literal'
    ? BEGINS_LOCAL.test(word.value) || IS_LOCAL.test(word.value)
    : BEGINS_LOCAL.test(word.prefix) || isHomeWord(word);
