/** Reads a line of the corpus: parses it, unwraps wrappers, and assesses builtins and programs. It needs no file system and no grants. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse as parseToml } from 'smol-toml';
import { parse } from 'unbash';
import { textualContext } from '../../src/core/effects/command-context.ts';
import { effectsOf } from '../../src/core/effects/effects-of.ts';
import { higherRisk, type Permission, type Risk } from '../../src/core/effects/permission.ts';
import { commandsIn } from '../../src/core/reading/commands-in.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { readRule, toolsOf } from '../../src/core/rules/read-rule.ts';
import type { RuleBook, ToolRule } from '../../src/core/rules/rule.ts';

/**
 * @property risk       of the riskiest command
 * @property isReading  nothing is written, deleted, executed or contacted, and nothing runs elsewhere or as another user
 */
export type LineDecision =
  | { readonly kind: 'opaque'; readonly reasons: readonly string[] }
  | { readonly kind: 'understood'; readonly risk: Risk; readonly isReading: boolean };

const PLACE = { context: textualContext(readRules(), '/proj/app', '/home/agent'), hasSearchedCd: false };

export function decideLine(text: string): LineDecision {
  const { commands, opaque } = commandsIn(parseLine(text, parse), parse);
  const reasons = opaque.map(({ reason }) => reason);
  const permissions: Permission[] = [];
  for (const each of commands) {
    const judged = effectsOf(each, PLACE);
    if (judged.kind === 'opaque') reasons.push(judged.reason);
    else permissions.push(judged.permission);
  }
  if (reasons.length > 0) return { kind: 'opaque', reasons };
  const risk = permissions.reduce<Risk>((most, each) => higherRisk(most, each.risk), 'low');
  const isElsewhere = commands.some(({ through }) => through.some(({ settings }) => settings.length > 0));
  const hasOtherAccess = permissions.flatMap(({ resources }) => resources).some(({ access }) => access !== 'read');
  return { kind: 'understood', risk, isReading: !hasOtherAccess && !isElsewhere };
}

/** Reads the rule files of the sources. Their own test checks their content. */
function readRules(): RuleBook {
  const folder = fileURLToPath(new URL('../../src/rules/', import.meta.url));
  const byName = new Map<string, ToolRule>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.toml'))) {
    const { match: _match, not_match: _notMatch, ...table } = parseToml(readFileSync(folder + file, 'utf8'));
    const rule = readRule(table);
    if (!rule.ok) throw new Error(`${file}: ${rule.failure.message}`);
    for (const tool of toolsOf(rule.value)) for (const name of tool.names) byName.set(name, tool);
  }
  return { find: (name) => byName.get(name) ?? null };
}
