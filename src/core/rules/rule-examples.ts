/**
 * Checks the examples in a rule file. An example is a line with its expected effects. A rule file with a wrong example is not loaded.
 */

import { textualContext } from '../effects/command-context.ts';
import { type CommandEffects, effectsOfSimple } from '../effects/effects-of-simple.ts';
import { pathOfText } from '../effects/known-path.ts';
import type { Resource } from '../effects/permission.ts';
import { type Fault, fault } from '../fault.ts';
import type { SimpleCommand } from '../reading/reading.ts';
import { because } from '../reasons/reason.ts';
import { failed, type Result, success } from '../result.ts';
import { type RuleProblem, toolsOf } from './read-rule.ts';
import type { RuleBook, ToolRule } from './rule.ts';
import { readFixedResource } from './rule-notation.ts';

/** The working directory of examples. */
const CWD = '/home/u/w';
const HOME = '/home/u';

/** Returns the simple commands of a line; null if the line is opaque. */
export type ReadCommands = (line: string) => readonly SimpleCommand[] | null;

type Table = Readonly<Record<string, unknown>>;

/**
 * Checks `match = ["LINE => [OPERATION: ]RISK[, RESOURCE]…"]`, then `not_match = ["LINE[ => PART OF THE REASON]"]`. Fails at the first
 * wrong example. Fails too if one of the two lists is missing or empty.
 */
export function checkExamples(file: Table, rule: ToolRule, read: ReadCommands): Result<null, RuleProblem> {
  const book: RuleBook = { find: (name) => toolsOf(rule).find(({ names }) => names.includes(name)) ?? null };
  for (const key of ['match', 'not_match'] as const) {
    const examples = file[key];
    if (!Array.isArray(examples) || examples.length === 0)
      return failed({
        path: [key],
        message: `${key} is not a list with examples: a rule file must have examples, and each example must be right`,
      });
    for (const [index, example] of examples.entries()) {
      const complaint =
        typeof example === 'string'
          ? key === 'match'
            ? matches(example, book, read)
            : matchesNot(example, book, read)
          : fault('write a string');
      if (complaint !== null) return failed({ path: [key, index], ...complaint });
    }
  }
  return success(null);
}

function effectsOfExample(line: string, book: RuleBook, read: ReadCommands): Result<CommandEffects, Fault> {
  const commands = read(line);
  if (commands === null) return success({ kind: 'opaque', ...because('unparsable') });
  if (commands.length !== 1 || commands[0] === undefined)
    return failed(fault(`${JSON.stringify(line)} is not one simple command`));
  return success(effectsOfSimple(commands[0], textualContext(book, CWD, HOME)));
}

function split(example: string): readonly [string, string | null] {
  const at = example.lastIndexOf(' => ');
  return at < 0 ? [example, null] : [example.slice(0, at), example.slice(at + 4)];
}

function matchesNot(example: string, book: RuleBook, read: ReadCommands): Fault | null {
  const [line, reason] = split(example);
  const outcome = effectsOfExample(line, book, read);
  if (!outcome.ok) return outcome.failure;
  const effects = outcome.value;
  if (effects.kind === 'understood') return fault(`${JSON.stringify(line)} must be opaque and is ${shown(effects)}`);
  return reason === null || effects.reason.includes(reason)
    ? null
    : fault(`${JSON.stringify(line)} is opaque because it ${effects.reason}, not because of ${JSON.stringify(reason)}`);
}

function matches(example: string, book: RuleBook, read: ReadCommands): Fault | null {
  const [line, wanted] = split(example);
  if (wanted === null) return fault(`${JSON.stringify(example)} lacks " => " and the expected effects`);
  const outcome = effectsOfExample(line, book, read);
  if (!outcome.ok) return outcome.failure;
  const effects = outcome.value;
  if (effects.kind === 'opaque')
    return fault(`${JSON.stringify(line)} must be understood and is opaque: it ${effects.reason}`);
  const [, operation, rest = ''] = /^(?:([^,:]+): )?(.*)$/s.exec(wanted) ?? [];
  const [risk, ...resources] = rest.split(', ');
  const { permission } = effects;
  const expected = resources.map(expectedResource).sort().join(', ');
  const found = permission.resources.map(shownResource).sort().join(', ');
  const isRight =
    permission.risk === risk && expected === found && (operation ?? permission.operation) === permission.operation;
  return isRight ? null : fault(`${JSON.stringify(line)} is ${shown(effects)}`);
}

/**
 * Turns a resource of an example into the form of `shownResource`. `read a/…` means the path `a/` and everything below. Resources of other
 * kinds name their kind: `contact host example.com`.
 */
function expectedResource(text: string): string {
  const [access = '', first = '', ...rest] = text.split(' ');
  const resource = readFixedResource(text);
  if (resource.ok && resource.value.kind !== 'path' && resource.value.kind !== 'tree')
    return `${access} ${first} ${rest.join(' ')}`;
  const path = [first, ...rest].join(' ');
  const isTree = path.endsWith('…');
  const written = isTree ? path.slice(0, -1) : path;
  const { value } = pathOfText(written.replace(/^~/, HOME), textualContext({ find: () => null }, CWD, HOME), 'target');
  return `${access} ${value}${isTree ? '…' : ''}`;
}

const shownResource = ({ kind, access, value, isExact }: Resource): string =>
  kind === 'path' ? `${access} ${value}${isExact ? '' : '…'}` : `${access} ${kind} ${value}${isExact ? '' : '…'}`;

function shown(effects: CommandEffects): string {
  if (effects.kind === 'opaque') return `opaque: it ${effects.reason}`;
  const { operation, risk, resources } = effects.permission;
  return `${operation}: ${[risk, ...resources.map(shownResource)].join(', ')}`;
}
