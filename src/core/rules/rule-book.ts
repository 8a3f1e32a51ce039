/**
 * The book of all rules: the user's own rule files first, then ours. Each of our rule files is read only when it is first used.
 */
import { readProvenRule, toolsOf } from './read-rule.ts';
import type { RuleBook, ToolRule } from './rule.ts';

/**
 * The rule files as the build compiles them.
 * @property names the tool that each command name means
 * @property tools the file of each tool, without its examples, as JSON text
 */
export interface CompiledRules {
  readonly names: Readonly<Record<string, string>>;
  readonly tools: Readonly<Record<string, string>>;
}

/** @param own the user's rules, which count before ours; if two of them have the same name, the last one counts */
export function makeRuleBook(compiled: CompiledRules, own: readonly ToolRule[]): RuleBook {
  const known = new Map<string, ToolRule | null>();
  for (const rule of own.flatMap(toolsOf)) for (const name of rule.names) known.set(name, rule);
  const find = (name: string): ToolRule | null => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const tool = Object.hasOwn(compiled.names, name) ? compiled.names[name] : undefined;
    const text = tool !== undefined && Object.hasOwn(compiled.tools, tool) ? compiled.tools[tool] : undefined;
    if (text === undefined) return null; // not cached, because the requester chooses the names
    const rule = readProvenRule(JSON.parse(text) as Readonly<Record<string, unknown>>);
    if (!rule.ok) known.set(name, null); // does not happen: the build has checked every file
    for (const each of rule.ok ? toolsOf(rule.value) : [])
      for (const one of each.names) if (!known.has(one)) known.set(one, each);
    return known.get(name) ?? null;
  };
  return { find };
}
