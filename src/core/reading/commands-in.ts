/** A line, understood as far as it goes before anything is looked up: the one entry for whoever judges it. */
import { assignmentOpacities } from './assignments.ts';
import { type BuiltinMeaning, meaningOfBuiltin } from './builtins.ts';
import { type FoldedCommand, foldPrelude } from './fold-prelude.ts';
import { type Parse, parseText } from './parse-text.ts';
import type { Opacity } from './reading.ts';
import { unwrap } from './unwrap.ts';
import type { ActualCommand } from './unwrapping.ts';

/** @property meaning what it is if its name still means a builtin; `other` for programs */
export interface LineCommand extends ActualCommand {
  readonly meaning: BuiltinMeaning;
}

/**
 * @property folded   the harness's prelude around the command, or null; everything else is then about the command inside
 * @property commands what would run; of an opaque line, what was seen of it
 * @property opaque   every reason why only the exact bytes can be approved; empty when there is none
 * @property texts    the line itself and what shells read again: `bash -n` must agree with each before a standing grant counts
 */
export interface LineCommands {
  readonly folded: FoldedCommand | null;
  readonly commands: readonly LineCommand[];
  readonly opaque: readonly Opacity[];
  readonly texts: readonly string[];
}

export function understandLine(text: string, parse: Parse): LineCommands {
  const folded = foldPrelude(text);
  const command = folded?.command ?? text;
  const unwrapping = unwrap(parseText(command, parse), parse);
  const opaque: Opacity[] = [...unwrapping.opaque];
  const commands = unwrapping.commands.map((each): LineCommand => {
    const meaning = meaningOfBuiltin(each.command, each.lookup);
    if (meaning.kind === 'opaque')
      opaque.push({ code: meaning.code, reason: meaning.reason, source: each.command.source });
    opaque.push(...assignmentOpacities(each.command.assignments));
    return { ...each, meaning };
  });
  return { folded, commands, opaque: distinct(opaque), texts: [text, command, ...unwrapping.texts] };
}

const distinct = (opacities: readonly Opacity[]): readonly Opacity[] => [
  ...new Map(opacities.map((each) => [`${each.reason}\0${each.source}`, each])).values(),
];
