/** What the parts make of a line together: read, unwrap, builtins, rules. Without a file system and without grants. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse as parseToml } from 'smol-toml';
import { parse } from 'unbash';
import { judge } from '../../src/core/permission/judge.ts';
import { textualContext } from '../../src/core/permission/judge-context.ts';
import { higherRisk, type Permission, type Risk } from '../../src/core/permission/permission.ts';
import { readRule } from '../../src/core/permission/read-rule.ts';
import type { RuleBook, ToolRule } from '../../src/core/permission/rule.ts';
import { assignmentOpacities } from '../../src/core/reading/assignments.ts';
import { judgeBuiltin } from '../../src/core/reading/builtins.ts';
import { readLine } from '../../src/core/reading/read-script.ts';
import { unwrap } from '../../src/core/reading/unwrap.ts';
import type { ActualCommand } from '../../src/core/reading/unwrapping.ts';

/**
 * @property risk       of the riskiest command
 * @property isReading  nothing is written, deleted, executed or contacted, and nothing runs elsewhere or as another user
 */
export type LineDecision =
  | { readonly kind: 'opaque'; readonly reasons: readonly string[] }
  | { readonly kind: 'understood'; readonly risk: Risk; readonly isReading: boolean };

const rules = readRules();
const CWD = '/work/app';
const HOME = '/home/agent';

export function decideLine(text: string): LineDecision {
  const { commands, opaque } = unwrap(readLine(text, parse), parse);
  const reasons = opaque.map(({ reason }) => reason);
  const permissions: Permission[] = [];
  let cwd: string | null = CWD;
  for (const actual of commands) {
    const judged = decideCommand(actual, cwd);
    if (judged.kind === 'directory') cwd = null;
    else if (judged.kind === 'opaque') reasons.push(...judged.reasons);
    else if (judged.kind === 'understood') permissions.push(judged.permission);
  }
  if (reasons.length > 0) return { kind: 'opaque', reasons };
  const risk = permissions.reduce<Risk>((most, each) => higherRisk(most, each.risk), 'low');
  const isElsewhere = commands.some(({ through }) => through.some(({ settings }) => settings.length > 0));
  const touches = permissions.flatMap(({ resources }) => resources).some(({ access }) => access !== 'read');
  return { kind: 'understood', risk, isReading: !touches && !isElsewhere };
}

type CommandDecision =
  | { readonly kind: 'harmless' | 'directory' }
  | { readonly kind: 'opaque'; readonly reasons: readonly string[] }
  | { readonly kind: 'understood'; readonly permission: Permission };

function decideCommand({ command, lookup }: ActualCommand, cwd: string | null): CommandDecision {
  const assigned = assignmentOpacities(command.assignments);
  if (assigned.length > 0) return { kind: 'opaque', reasons: assigned.map(({ reason }) => reason) };
  const builtin = judgeBuiltin(command, lookup);
  if (builtin.kind === 'opaque') return { kind: 'opaque', reasons: [builtin.reason] };
  if (builtin.kind === 'directory') return { kind: 'directory' };
  // Its redirections are judged all the same.
  const asShell = builtin.kind === 'harmless' ? { ...command, words: [] } : command;
  const judged = judge(asShell, textualContext(rules, cwd, HOME));
  return judged.kind === 'opaque' ? { kind: 'opaque', reasons: [judged.reason] } : judged;
}

/** The rule files as they lie in the sources; that they are whole is for their own test to say. */
function readRules(): RuleBook {
  const folder = fileURLToPath(new URL('../../src/rules/', import.meta.url));
  const byName = new Map<string, ToolRule>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.toml'))) {
    const { match: _match, not_match: _notMatch, ...table } = parseToml(readFileSync(folder + file, 'utf8'));
    const rule = readRule(table);
    if (!rule.ok) throw new Error(`${file}: ${rule.failure.message}`);
    for (const name of rule.value.names) byName.set(name, rule.value);
  }
  return { find: (name) => byName.get(name) ?? null };
}
