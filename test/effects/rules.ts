/** The built-in rule files as tables, so that a test can change them, and the rule book made of them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'smol-toml';
import { readRule } from '../../src/core/rules/read-rule.ts';
import type { RuleBook, ToolRule } from '../../src/core/rules/rule.ts';

export type Table = Record<string, unknown>;

/** Reads the rule files; the keys are the names of the tools. */
export function readTables(root: string): ReadonlyMap<string, Table> {
  const folder = path.join(root, 'src/rules');
  const names = readdirSync(folder).filter((name) => name.endsWith('.toml'));
  return new Map(
    names.map((name) => [path.basename(name, '.toml'), parse(readFileSync(path.join(folder, name), 'utf8'))]),
  );
}

export function ruleOf(name: string, table: Table): ToolRule {
  const rule = readRule(table);
  if (!rule.ok) throw new Error(`${name}: ${rule.failure.path.join('.')}: ${rule.failure.message}`);
  return rule.value;
}

export function bookOf(tables: ReadonlyMap<string, Table>): RuleBook {
  const rules = new Map<string, ToolRule>();
  for (const [name, table] of tables) {
    const rule = ruleOf(name, table);
    for (const each of rule.names) rules.set(each, rule);
  }
  return { find: (name) => rules.get(name) ?? null };
}
