/** Stage 2 of reading a line: finds the commands that would run, without their wrappers. This stage needs no facts about the host. */
import { assignmentOpacities } from './assignments.ts';
import { type BuiltinMeaning, meaningOfBuiltin } from './builtins.ts';
import type { FoldedCommand } from './fold-prelude.ts';
import type { ParsedLine } from './parse-line.ts';
import type { Parse } from './parse-text.ts';
import type { Opacity } from './reading.ts';
import { unwrap } from './unwrap.ts';
import type { ActualCommand } from './unwrapping.ts';

/** @property meaning what the command does as a builtin; `other` for a program */
export interface LineCommand extends ActualCommand {
  readonly meaning: BuiltinMeaning;
}

/**
 * @property text     the line as given
 * @property folded   the command, and the text that a harness puts around the command (the prelude); null: no prelude. With a prelude,
 *                    `commands` and `opaque` describe only the command
 * @property commands the commands that would run. For an opaque line, some commands may be missing. A wrapper that is not understood is
 *                    listed as a command.
 * @property opaque   the reasons why only the exact bytes can be approved; empty: no reason yet, but later stages may find a reason
 * @property texts    the line, the command inside the prelude, and the texts that the line gives to shells. For a standing grant, `bash -n`
 *                    must accept each of these texts
 */
export interface LineCommands {
  readonly text: string;
  readonly folded: FoldedCommand | null;
  readonly commands: readonly LineCommand[];
  readonly opaque: readonly Opacity[];
  readonly texts: readonly string[];
}

/** @param parse parses the texts that the line gives to shells */
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
