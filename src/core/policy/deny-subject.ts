/** Collects what deny rules are compared with: the texts, the permissions and the words of a line. */
import type { AssessedCommand, Assessment } from '../effects/assess-line.ts';
import type { Permission } from '../effects/permission.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import type { Word } from '../reading/reading.ts';
import { baseName } from '../text/path.ts';

/**
 * @property texts       these texts:
 *                       - the whole line
 *                       - each text that a shell in the line reads
 *                       - each command in several forms (`formsOf`)
 *                       - each text between separators, if the line is opaque or was not assessed
 * @property permissions the permissions of all understood commands, even if the line is opaque
 * @property unread      one list of words for each of these:
 *                       - a command that is not understood
 *                       - a command that only the shell carries out
 *                       - the name of a wrapper (`find -exec`)
 *                       - the program word of a wrapper, as the line has it (`/usr/bin/find`)
 */
export interface DenySubject {
  readonly texts: readonly string[];
  readonly permissions: readonly Permission[];
  readonly unread: readonly (readonly string[])[];
}

/** @param assessment null: the line was not assessed, and only the text is known */
export function denySubject(
  request: Pick<ExecutionRequest, 'text'>,
  assessment: Pick<Assessment, 'texts' | 'commands' | 'opaque'> | null,
): DenySubject {
  const { text } = request;
  if (assessment === null)
    return { texts: distinct([text.trim(), text, ...segmentsOf(text)]), permissions: [], unread: [] };
  const { texts, commands, opaque } = assessment;
  const whole = [text, ...texts].flatMap((each) => [each, each.trim()]);
  const permissions: Permission[] = [];
  const unread: (readonly string[])[] = [];
  for (const { effects, command, through } of commands) {
    if (effects?.kind === 'understood') permissions.push(effects.permission);
    if (effects?.kind !== 'understood' || effects.permission.tool === 'shell')
      unread.push(command.words.map(writtenOut));
    for (const { name, program } of through) unread.push(name.split(' '), [writtenOut(program)]);
  }
  const segments = opaque.length > 0 ? whole.flatMap(segmentsOf) : [];
  return { texts: distinct([...whole, ...commands.flatMap(formsOf), ...segments]), permissions, unread };
}

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];
const writtenOut = (word: Word): string => (word.kind === 'literal' ? word.value : word.source);

/**
 * Returns the forms of a command. For `/usr/bin/'git'  push` after `sudo -n`: the command as written, `/usr/bin/git push`, `git push`,
 * `sudo git push`.
 */
function formsOf({ command, through }: AssessedCommand): readonly string[] {
  const [name = '', ...rest] = command.words.map(writtenOut);
  const plain = [baseName(name), ...rest].join(' ');
  const wrapped = through.map((_, at) => [...through.slice(at).map((layer) => layer.name), plain].join(' '));
  return [command.source, [name, ...rest].join(' '), plain, ...wrapped];
}

/** Splits a text that is not understood into pieces that may be commands. */
const segmentsOf = (text: string): readonly string[] =>
  text
    .split(/[;&|\n(){}`]+/)
    .map((segment) => segment.trim())
    .filter((segment) => segment !== '');
