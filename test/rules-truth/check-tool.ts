/** All commands of a rule file against the real program. */
import type { CommandRule, OptionRule, ToolRule } from '../../src/core/permission/rule.ts';
import { checkCommand, type Findings } from './check-command.ts';
import type { Program } from './complaint.ts';

export function checkTool({ root }: ToolRule, program: Program): Findings {
  const all: Findings[] = [];
  const walk = (
    command: CommandRule,
    before: readonly string[],
    around: Readonly<Record<string, OptionRule>>,
  ): void => {
    all.push(checkCommand(program, before, command, { ...around, ...command.options }));
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
