/**
 * Finds out whether a rule forbids a line. Grants do not change the result. The `DenySubject` of the line holds texts, permissions and
 * lists of words. A rule with a text is compared with the texts. A rule with a pattern is compared with the permissions and the lists of
 * words. One match is enough. Rules are no complete barrier: an opaque line may do something that its text does not show. But an opaque
 * line runs only if a human has approved the exact bytes of the line.
 */

import type { Permission } from '../effects/permission.ts';
import { type Fault, fault } from '../fault.ts';
import type { DenyPattern, DenyRule } from '../scope/command-scope.ts';
import { MAX_GLOB_LENGTH, MAX_STARS } from '../scope/glob.ts';
import { malformation } from '../scope/pattern-shape.ts';
import { matchesStars, readStars, type Stars } from '../scope/stars.ts';
import { hasOnly, isList, isRecord, isText } from '../shape.ts';
import { baseName } from '../text/path.ts';
import { mayTouch } from './deny-resource.ts';
import type { DenySubject } from './deny-subject.ts';

/** One rule has at most this number of operations, and at most this number of resources. */
const MAX_PARTS = 200;
const MAX_REASON_LENGTH = 1_000;

/**
 * A rule prepared for many checks.
 * @property isMalformed a malformed rule forbids every line to every requester: the meaning of the rule is not known
 * @property text        the text of the rule; null: the rule has a pattern, or is malformed
 * @property operations  the operations in the rule's pattern; empty: the rule has a text, or is malformed
 */
export interface CompiledDenyRule {
  readonly rule: DenyRule;
  readonly isMalformed: boolean;
  readonly text: Stars | null;
  readonly operations: readonly Stars[];
}

/** The key is the rule object itself. No code changes such an object, so the compiled rule stays right. */
const known = new WeakMap<DenyRule, CompiledDenyRule>();

export function compileDenyRule(rule: DenyRule): CompiledDenyRule {
  if (!isRecord(rule)) return { rule, isMalformed: true, text: null, operations: [] }; // a store may hold anything
  const found = known.get(rule) ?? compile(rule);
  known.set(rule, found);
  return found;
}

function compile(rule: DenyRule): CompiledDenyRule {
  if (denyRuleFault(rule) !== null) return { rule, isMalformed: true, text: null, operations: [] };
  return {
    rule,
    isMalformed: false,
    text: rule.text === null ? null : readStars(rule.text),
    operations: rule.pattern?.operations.map(readStars) ?? [],
  };
}

/** Returns the first rule that forbids the line to this requester; null: no rule forbids the line. */
export const firstDenial = (rules: readonly DenyRule[], requesterId: string, subject: DenySubject): DenyRule | null =>
  rules.find((rule) => denies(rule, requesterId, subject)) ?? null;

/** Whether the rule forbids the line to this requester. A malformed rule forbids every line. */
export const denies = (rule: DenyRule, requesterId: string, subject: DenySubject): boolean =>
  deniesCompiled(compileDenyRule(rule), requesterId, subject);

export function deniesCompiled(compiled: CompiledDenyRule, requesterId: string, subject: DenySubject): boolean {
  const { rule, isMalformed, text } = compiled;
  if (isMalformed) return true;
  if (rule.requesterId !== null && rule.requesterId !== requesterId) return false;
  if (text !== null) return subject.texts.some((each) => matchesStars(text, each));
  return rule.pattern !== null && deniesPattern(compiled, rule.pattern, subject);
}

function deniesPattern(compiled: CompiledDenyRule, pattern: DenyPattern, subject: DenySubject): boolean {
  if (subject.permissions.some((permission) => deniesPermission(compiled, pattern, permission))) return true;
  // If a command is not understood, its resources are not known. So a rule with resources is not compared with the command.
  return (
    pattern.resources.length === 0 &&
    subject.unread.some((words) => pattern.operations.some((operation) => looksLike(operation, words)))
  );
}

const deniesPermission = ({ operations }: CompiledDenyRule, { resources }: DenyPattern, permission: Permission) =>
  operationsIn(permission).some((own) => operations.some((wanted) => matchesStars(wanted, own))) &&
  (resources.length === 0 ||
    permission.resources.some((own) => resources.some((wanted) => mayTouch(wanted, own, namesUnits(permission)))));

/** Whether the services of the operation are units of systemd. */
const namesUnits = (permission: Permission): boolean =>
  operationsIn(permission).some((operation) => /^(?:systemctl|journalctl)(?: |$)/.test(operation));

/** Returns the operation, and the text after each `: ` in the operation. `on web: as root: rm` also gives `as root: rm` and `rm`. */
export function operationsIn({ operation }: Permission): readonly string[] {
  const found = [operation];
  for (let at = operation.indexOf(': '); at >= 0; at = operation.indexOf(': ', at + 2))
    found.push(operation.slice(at + 2));
  return found;
}

/**
 * Whether the words look like the operation. `/usr/bin/git -c x=y push` looks like `git push`: the first word is a path of the program, and
 * the other words of the operation follow in the same order.
 */
function looksLike(operation: string, [name = '', ...rest]: readonly string[]): boolean {
  const isOpen = operation.endsWith('*') && !operation.endsWith(' *');
  const wanted = operation.replace(/ ?\*$/, '').split(' ');
  const own = [baseName(name), ...rest];
  let at = 0;
  return wanted.every((part, index) => {
    const isLast = index === wanted.length - 1;
    const fits = (word: string) => (isOpen && isLast ? word.startsWith(part) : word === part);
    const found =
      index === 0 ? (fits(own[0] ?? '') ? 0 : -1) : own.findIndex((word, place) => place >= at && fits(word));
    at = found + 1;
    return found >= 0;
  });
}

/** Returns what is wrong with a rule, in one line; null if the rule is well formed. */
export function denyRuleFault(rule: unknown): Fault | null {
  if (!isRecord(rule) || !hasOnly(rule, ['id', 'requesterId', 'text', 'pattern', 'reason']))
    return fault('a rule has an id, a requester, a text or a pattern, and a reason');
  const { id, requesterId, text, pattern, reason } = rule;
  if (!isText(id)) return fault('the rule needs an id');
  if (requesterId !== null && !isText(requesterId))
    return fault('the rule is for one requester, or for all requesters (null)');
  if (!isText(reason) || reason.length > MAX_REASON_LENGTH || reason.trim() === '')
    return fault(`the rule needs a reason of at most ${MAX_REASON_LENGTH} characters`);
  if ((text === null) === (pattern === null)) return fault('the rule has either a text or a pattern');
  return text === null ? patternFault(pattern) : textFault(text);
}

function textFault(text: unknown): Fault | null {
  if (!isText(text) || text.length > MAX_GLOB_LENGTH) return fault(`the text has 1 to ${MAX_GLOB_LENGTH} characters`);
  return readStars(text).length > MAX_STARS + 1 ? fault(`the text has at most ${MAX_STARS} stars`) : null;
}

function patternFault(pattern: unknown): Fault | null {
  if (!isRecord(pattern) || !hasOnly(pattern, ['operations', 'resources']))
    return fault('a pattern has operations and resources');
  const { operations, resources } = pattern;
  if (!isList(operations, MAX_PARTS) || operations.length === 0 || !operations.every(isText))
    return fault(`name 1 to ${MAX_PARTS} operations`);
  if (operations.some((each) => /\*(?!$)/.test(String(each))))
    return fault('an operation can have a star only at its end');
  if (!isList(resources, MAX_PARTS)) return fault(`a pattern has at most ${MAX_PARTS} resources`);
  for (const resource of resources) {
    const fault = malformation(resource, 'forbids');
    if (fault !== null) return fault;
  }
  return null;
}
