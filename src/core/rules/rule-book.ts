/**
 * Finds the rule for a command name: first among the user's own rules, then among our rules. Reads each of our rule files at its first use.
 */
import { readProvenRule, toolsOf } from './read-rule.ts';
import type { RuleBook, ToolRule } from './rule.ts';

/**
 * The rule files as the build compiles them.
 * @property names maps each command name to its tool
 * @property tools maps each tool to its rule file, as JSON text without the examples
 */
export interface CompiledRules {
  readonly names: Readonly<Record<string, string>>;
  readonly tools: Readonly<Record<string, string>>;
}

/** @param own the user's rules, which override ours; if two of the user's rules have the same name, the last one counts */
export function makeRuleBook(compiled: CompiledRules, own: readonly ToolRule[]): RuleBook {
  const known = new Map<string, ToolRule | null>();
  for (const rule of own.flatMap(toolsOf)) for (const name of rule.names) known.set(name, rule);
  const find = (name: string): ToolRule | null => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const tool = Object.hasOwn(compiled.names, name) ? compiled.names[name] : undefined;
    const text = tool !== undefined && Object.hasOwn(compiled.tools, tool) ? compiled.tools[tool] : undefined;
    if (text === undefined) return null; // not cached: the requester chooses the names, and could make the cache grow without limit
    const rule = readProvenRule(JSON.parse(text) as Readonly<Record<string, unknown>>);
    if (!rule.ok) known.set(name, null); // does not happen: the build has checked every file
    for (const each of rule.ok ? toolsOf(rule.value) : [])
      for (const one of each.names) if (!known.has(one)) known.set(one, each);
    return known.get(name) ?? null;
  };
  return { find };
}
