/** All the rules there are: those we bring, read when first asked for, and the user's, which come before them. */
import { readProvenRule, toolsOf } from './read-rule.ts';
import type { RuleBook, ToolRule } from './rule.ts';

/**
 * What the build makes of the rule files.
 * @property names which tool a name means
 * @property tools a tool's file without its examples, as JSON text
 */
export interface CompiledRules {
  readonly names: Readonly<Record<string, string>>;
  readonly tools: Readonly<Record<string, string>>;
}

/** @param own of one name the last counts */
export function makeRuleBook(compiled: CompiledRules, own: readonly ToolRule[]): RuleBook {
  const known = new Map<string, ToolRule | null>();
  for (const rule of own.flatMap(toolsOf)) for (const name of rule.names) known.set(name, rule);
  const find = (name: string): ToolRule | null => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const tool = Object.hasOwn(compiled.names, name) ? compiled.names[name] : undefined;
    const text = tool !== undefined && Object.hasOwn(compiled.tools, tool) ? compiled.tools[tool] : undefined;
    if (text === undefined) return null; // not remembered: names are any text
    const rule = readProvenRule(JSON.parse(text) as Readonly<Record<string, unknown>>);
    if (!rule.ok) known.set(name, null); // the build has proven them all
    for (const each of rule.ok ? toolsOf(rule.value) : [])
      for (const one of each.names) if (!known.has(one)) known.set(one, each);
    return known.get(name) ?? null;
  };
  return { find };
}
