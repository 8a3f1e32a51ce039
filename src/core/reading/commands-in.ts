/** Stage 2 of a line, commands: what would run, behind every wrapper, before anything is looked up. */
import { assignmentOpacities } from './assignments.ts';
import { type BuiltinMeaning, meaningOfBuiltin } from './builtins.ts';
import type { FoldedCommand } from './fold-prelude.ts';
import type { ParsedLine } from './parse-line.ts';
import type { Parse } from './parse-text.ts';
import type { Opacity } from './reading.ts';
import { unwrap } from './unwrap.ts';
import type { ActualCommand } from './unwrapping.ts';

/** @property meaning what it is if its name still means a builtin; `other` for programs */
export interface LineCommand extends ActualCommand {
  readonly meaning: BuiltinMeaning;
}

/**
 * @property text     as it was given
 * @property folded   the harness's prelude around the command, or null; everything else is then about the command inside
 * @property commands what would run; of an opaque line, what was seen of it
 * @property opaque   every reason why only the exact bytes can be approved; empty when there is none
 * @property texts    the line itself and what shells read again: `bash -n` must agree with each before a standing grant counts
 */
export interface LineCommands {
  readonly text: string;
  readonly folded: FoldedCommand | null;
  readonly commands: readonly LineCommand[];
  readonly opaque: readonly Opacity[];
  readonly texts: readonly string[];
}

/** @param parse reads the texts that the line gives to shells */
export function commandsIn(line: ParsedLine, parse: Parse): LineCommands {
  const { text, folded } = line;
  const actual = unwrap(line, parse);
  const opaque: Opacity[] = [...actual.opaque];
  const commands = actual.commands.map((each): LineCommand => {
    const meaning = meaningOfBuiltin(each.command, each.lookup);
    if (meaning.kind === 'opaque')
      opaque.push({ code: meaning.code, reason: meaning.reason, source: each.command.source });
    opaque.push(...assignmentOpacities(each.command.assignments));
    return { ...each, meaning };
  });
  const texts = [text, folded?.command ?? text, ...actual.texts];
  return { folded, commands, opaque: distinct(opaque), texts, text };
}

const distinct = (opacities: readonly Opacity[]): readonly Opacity[] => [
  ...new Map(opacities.map((each) => [`${each.reason}\0${each.source}`, each])).values(),
];
