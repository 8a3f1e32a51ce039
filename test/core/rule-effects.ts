/** The effects of lines in tests, by all rule files of src/rules, in the directory `/home/u/w`. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse as parseToml } from 'smol-toml';
import { parse } from 'unbash';
import { type CommandContext, textualContext } from '../../src/core/effects/command-context.ts';
import { type CommandEffects, effectsOfSimple } from '../../src/core/effects/effects-of-simple.ts';
import { parseText } from '../../src/core/reading/parse-text.ts';
import type { SimpleCommand } from '../../src/core/reading/reading.ts';
import { readRule, toolsOf } from '../../src/core/rules/read-rule.ts';
import type { RuleBook, ToolRule } from '../../src/core/rules/rule.ts';

const FOLDER = new URL('../../src/rules/', import.meta.url);
export const RULE_FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.toml'));
export const ruleText = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

export function commandsOf(line: string): readonly SimpleCommand[] | null {
  const { commands, opaque } = parseText(line, parse);
  return opaque.length > 0 ? null : commands;
}

const rules = new Map<string, ToolRule>();
for (const name of RULE_FILES) {
  const rule = readRule(parseToml(ruleText(name)));
  if (!rule.ok) throw new Error(`${name}: ${rule.failure.message}`);
  for (const tool of toolsOf(rule.value)) for (const each of tool.names) rules.set(each, tool);
}
export const allRules: RuleBook = { find: (name) => rules.get(name) ?? null };
export const here: CommandContext = textualContext(allRules, '/home/u/w', '/home/u');

/** Returns the effects of a line that is one simple command. */
export function effectsOfLine(line: string, context: CommandContext = here): CommandEffects {
  const commands = commandsOf(line);
  if (commands === null) return { kind: 'opaque', code: 'unparsable', reason: 'cannot be read' };
  if (commands.length !== 1 || commands[0] === undefined) throw new Error(`not one simple command: ${line}`);
  return effectsOfSimple(commands[0], context);
}

/** Returns the effects of the first command of a line alone, whatever the reader says of the other commands. */
export function effectsAlone(line: string): CommandEffects {
  const [command] = parseText(line, parse).commands;
  if (command === undefined) throw new Error(`no command: ${line}`);
  return effectsOfSimple(command, here);
}
