/** The first stage of reading a call of a tool: splits its words, and chooses what the tool does from its options. */

import type { Word } from '../reading/reading.ts';
import { because, isReason, type Reason } from '../reasons/reason.ts';
import type { OptionRule, RuleEffect, ToolRule, WordRule } from '../rules/rule.ts';
import { bsdVeto } from './bsd-tools.ts';
import type { CommandContext } from './command-context.ts';
import type { Draft } from './meaning.ts';
import { pathOfWord } from './path-of-word.ts';
import { perhapsRemote } from './perhaps-remote.ts';
import { type Access, higherRisk, type Risk } from './permission.ts';
import { type Arguments, readArguments } from './read-arguments.ts';
import { perhapsNoUnit } from './unit-names.ts';
import { isInRepository, isUnsureRepository } from './word-meaning.ts';
import { shapeOf } from './word-shape.ts';

/**
 * The words of a call, split by the rule file, and what the options choose.
 * @property options      the canonical names of the options, sorted
 * @property effects      the effects of the options and operands that are given
 * @property isOnly       whether the command's own `adds` do not count
 * @property mode         the access that replaces `mode` in the rule file; null: no option of the command chooses an access
 * @property operandRules what the operands mean
 * @property context      the context of the operands
 * @property valueContext the context of the values of options
 */
export interface ToolForm extends Arguments, Draft {
  readonly effects: readonly RuleEffect[];
  readonly isOnly: boolean;
  readonly mode: Access | null;
  readonly operandRules: readonly WordRule[];
  readonly context: CommandContext;
  readonly valueContext: CommandContext;
}

/** Returns a reason if the words are not understood, or if the tool may do something else with these words. */
export function formOf({ tool, root }: ToolRule, words: readonly Word[], context: CommandContext): ToolForm | Reason {
  const given = readArguments(root, words, context);
  if (isReason(given)) return given;
  const { command, uses } = given;
  const effects = ruleEffectsOf(given);
  const veto = effects.find((effect) => effect.opaque !== undefined)?.opaque ?? bsdVeto(tool, given, context);
  if (veto !== null) return because('rule', veto);
  const unclear = perhapsRemote(tool, given) ?? perhapsNoUnit(tool, given);
  if (unclear !== null) return unclear;
  const missing = command.requires.find((name) => !uses.some(({ rule }) => rule.canonical === name));
  if (missing !== undefined) return because('lacks-required-option', missing);
  const repeated = repeatedOperation(given);
  if (repeated !== null) return because('option-twice', repeated);
  const choice = chosenBy(effects);
  if (isReason(choice)) return choice;
  const does = choice.operation === null ? command.does : null;
  if (choice.operation === null && does === null) return because('says-no-operation', tool);
  const placed = directoriesOf(given, context);
  if (isReason(placed)) return placed;
  if (isInRepository(command.adds) && isUnsureRepository(placed.operands)) return because('repository-unsure');
  const isOnly = effects.some((effect) => effect.isOnly === true);
  return {
    ...given,
    tool,
    operation: choice.operation === null ? command.operation : `${tool} ${choice.operation}`,
    options: [...new Set(uses.map(({ rule }) => rule.canonical))].sort(),
    risk: effects.reduce<Risk>((risk, effect) => higherRisk(risk, effect.risk ?? 'low'), isOnly ? 'low' : command.risk),
    sentences: [...(does === null ? [] : [does]), ...effects.flatMap((effect) => effect.does ?? [])],
    effects,
    isOnly,
    mode: choice.mode,
    operandRules: choice.operands ?? command.operands,
    context: placed.operands,
    valueContext: placed.values,
  };
}

/** Returns the effects of the options, without repetition, in the order of the rule file. The effects of the operands come last. */
function ruleEffectsOf({ command, uses, operands }: Arguments): readonly RuleEffect[] {
  const found = new Map<RuleEffect, OptionRule>();
  for (const { rule } of uses) if (rule.effect !== null) found.set(rule.effect, rule);
  const effects = [...found]
    .sort(([, a], [, b]) => a.rank - b.rank || (a.canonical < b.canonical ? -1 : 1))
    .map(([effect]) => effect);
  // If an option names the operation, the operands do not change the operation.
  const hasOperation = effects.some(({ operation }) => operation !== undefined);
  if (operands.length > 0 && command.withOperands !== null && !hasOperation) effects.push(command.withOperands);
  // bash may expand a pattern to zero words.
  const mayBeEmpty = operands.every((word) => shapeOf(word) !== 'one');
  if (mayBeEmpty && command.withoutOperands !== null) effects.push(command.withoutOperands);
  return effects;
}

/**
 * Returns the name of an option that chooses the operation and is given twice; null: no option is like this. In `kill -9 -9 12`, the
 * second `-9` may mean a process group.
 */
function repeatedOperation({ uses }: Arguments): string | null {
  const seenEffects = new Set<unknown>();
  for (const { name, rule } of uses) {
    const { effect } = rule;
    if (effect?.operation === undefined) continue;
    if (seenEffects.has(effect)) return name;
    seenEffects.add(effect);
  }
  return null;
}

/**
 * Returns the operation, the mode and the operand rules that the effects choose. A member is null if no effect chooses this member.
 * Returns a reason if the effects contradict each other.
 */
function chosenBy(effects: readonly RuleEffect[]) {
  const operations = new Set(effects.flatMap(({ operation }) => operation ?? []));
  const modes = new Set(effects.flatMap(({ mode }) => mode ?? []));
  const operands = new Set(effects.flatMap((effect) => (effect.operands === undefined ? [] : [effect.operands])));
  const kinds = new Set([...operands].map((operandRules) => JSON.stringify(operandRules)));
  if (operations.size > 1 || modes.size > 1 || kinds.size > 1) return because('options-conflict');
  const [operation = null] = operations;
  const [mode = null] = modes;
  const [chosen = null] = operands;
  return { operation, mode, operands: chosen };
}

/**
 * Returns the context of the operands and the context of the option values. `git -C` and `tar -C` change the working directory for some
 * words. Returns a reason if such an option is given twice, names no directory, or possibly changes the directory for only some
 * operands.
 */
function directoriesOf({ uses, beforeDashes, operands }: Arguments, context: CommandContext) {
  const moves = uses.filter(({ rule }) => rule.directory !== null);
  const [move] = moves;
  if (move === undefined) return { operands: context, values: context };
  if (moves.length > 1) return because('moves-twice');
  if (move.value === null) return because('moves-nowhere');
  if (move.rule.directory === 'operands' && (move.operandsBefore > 0 || beforeDashes < operands.length))
    return because('moves-between-operands');
  const path = pathOfWord(move.value, context, 'target');
  // bash matches patterns in its own working directory, not in the directory that the option names.
  const moved: CommandContext = { ...context, cwd: path.isExact ? path.value : null, matchesOf: () => null };
  return { operands: moved, values: move.rule.directory === 'all' ? moved : context };
}
