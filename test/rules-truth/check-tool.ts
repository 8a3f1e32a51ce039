/** Compares all commands of a rule file with the real program. */
import type { CommandRule, OptionRule, ToolRule } from '../../src/core/rules/rule.ts';
import { type CommandCheck, checkCommand } from './check-command.ts';
import type { Program } from './complaint.ts';

/**
 * @param often whether an option that several commands share is tried with each of them, or with the first alone
 * @param only  the words of the only sub-command to check
 */
export function checkTool(
  { root }: ToolRule,
  program: Program,
  often: 'each' | 'first' = 'each',
  only: string | null = null,
): CommandCheck {
  const all: CommandCheck[] = [];
  const seen = new Set<OptionRule>();
  const unseen = (options: Readonly<Record<string, OptionRule>>): Readonly<Record<string, OptionRule>> => {
    const found = Object.entries(options).filter(([, rule]) => often === 'each' || !seen.has(rule));
    for (const [, rule] of found) seen.add(rule);
    return Object.fromEntries(found);
  };
  const walk = (
    command: CommandRule,
    before: readonly string[],
    around: Readonly<Record<string, OptionRule>>,
  ): void => {
    if (only === null || only === before.join(' '))
      all.push(checkCommand(program, before, command, unseen({ ...around, ...command.options })));
    const below = command.isSpread ? { ...around, ...command.options } : around;
    for (const [word, inner] of Object.entries(command.commands)) walk(inner, [...before, word], below);
  };
  walk(root, [], {});
  return {
    faults: all.flatMap(({ faults }) => faults),
    unsure: all.flatMap(({ unsure }) => unsure),
    checked: all.reduce((sum, { checked }) => sum + checked, 0),
  };
}
