/**
 * Computes the permission of a simple command: what the command would do, to which resources, at which risk. If the effects are in
 * doubt, the command is opaque and has a reason.
 */

import type { SimpleCommand, Word } from '../reading/reading.ts';
import { because, isReason, type Reason } from '../reasons/reason.ts';
import type { OptionRule, RuleEffect, ToolRule, WordRule } from '../rules/rule.ts';
import { sensitivityOf } from '../sensitive/sensitive-paths.ts';
import { addedRepositories, REPOSITORY_SENTENCE } from './added-repositories.ts';
import { bsdVeto } from './bsd-tools.ts';
import type { CommandContext } from './command-context.ts';
import { deletedParents } from './deleted-parents.ts';
import { meaningOfEditor } from './git-editor.ts';
import { meaningOfSort } from './git-formats.ts';
import { HOOK_SENTENCE, hookEffects, localRemotes } from './git-hooks.ts';
import { recordsElsewhere, repositoryRead } from './git-records.ts';
import { effectsOfRemoteSettings } from './git-remote-settings.ts';
import { trackingEffects } from './git-settings.ts';
import { linkedSources } from './hard-links.ts';
import { withJoinedOutputs } from './joined-outputs.ts';
import { linkTargets } from './link-target.ts';
import { loginSentences } from './login-sentence.ts';
import { type Draft, type Meaning, NOTHING } from './meaning.ts';
import { missingParents } from './missing-parents.ts';
import { namedSecrets } from './named-secrets.ts';
import { changesFileItself, opensInPlace } from './opened-in-place.ts';
import { behindOwnLinks, sourcesOf } from './own-links.ts';
import { packedNames } from './packed-names.ts';
import { pathOfWord } from './path-of-word.ts';
import { directoriesListedByShell } from './paths-read-by-shell.ts';
import { pathReading } from './pathspec.ts';
import { perhapsRemote } from './perhaps-remote.ts';
import { higherRisk, type Permission, type Resource, type Risk } from './permission.ts';
import { draftOfProgram, toolNameOf } from './program-name.ts';
import { furtherProjects } from './project-root.ts';
import { type Arguments, type OptionUse, readArguments } from './read-arguments.ts';
import { refsNotNamed } from './refspec.ts';
import { meaningsAround } from './surroundings-of-command.ts';
import { treeEffects } from './tree-effects.ts';
import { perhapsNoUnit } from './unit-names.ts';
import { fixedMeaning, isInRepository, isUnsureRepository, meaningOfWords, type WordSetting } from './word-meaning.ts';
import { shapeOf } from './word-shape.ts';

/**
 * @property repository the top of the repository whose settings git reads. If git runs outside of repositories: the directory in which git
 *                      runs. Null: not known, or the command is not git
 */
export type CommandEffects =
  | { readonly kind: 'understood'; readonly permission: Permission; readonly repository: string | null }
  | ({ readonly kind: 'opaque' } & Reason);

/**
 * What the shell itself does, without a program.
 * @property reads     what the words of a builtin or a `for` loop make the shell read: directories that it lists, files that it checks
 * @property sentences sentences for the approver; `effectsOfSimple` ignores them if the command has words
 */
export interface DoneByShell {
  readonly reads: Meaning;
  readonly sentences: readonly string[];
}

/**
 * Returns what the command would do, or the reason why that is not known.
 * @param shell what the shell itself does. The caller gives `shell` only if `command.words` is empty. For a builtin, the caller first
 *              removes the builtin's words from `command`
 */
export function effectsOfSimple(
  command: SimpleCommand,
  context: CommandContext,
  shell: DoneByShell = { reads: NOTHING, sentences: [] },
): CommandEffects {
  const around = [...meaningsAround(command, context), shell.reads];
  const [name, ...words] = command.words;
  if (name === undefined)
    return conclude(
      { tool: 'shell', operation: 'shell', options: [], risk: 'low', sentences: shell.sentences },
      around,
      context.home,
    );
  const found = toolNameOf(name, context);
  if (found.kind === 'opaque') return found;
  if (found.kind === 'program')
    return conclude(draftOfProgram(found.path), [...around, { resources: [found.path] }], context.home);
  const rule = context.rules.find(found.tool);
  if (rule === null) return opaque(because('tool-without-rules', found.tool));
  return effectsOfTool(rule, words, around, context);
}

const opaque = (reason: Reason): CommandEffects => ({ kind: 'opaque', ...reason });

function effectsOfTool(
  rule: ToolRule,
  words: readonly Word[],
  around: readonly Meaning[],
  context: CommandContext,
): CommandEffects {
  const given = readArguments(rule.root, words, context);
  if (isReason(given)) return opaque(given);
  const { command, uses } = given;
  const effects = ruleEffectsOf(given);
  const veto =
    effects.find((effect) => effect.opaque !== undefined)?.opaque ?? bsdVeto(rule.tool, uses, given.operands, context);
  if (veto !== null) return opaque(because('rule', veto));
  const unclear =
    perhapsRemote(rule.tool, command.operation, uses, given.operands) ??
    perhapsNoUnit(rule.tool, command.operation, given.operands);
  if (unclear !== null) return opaque(unclear);
  const missing = command.requires.find((name) => !uses.some(({ rule: option }) => option.canonical === name));
  if (missing !== undefined) return opaque(because('lacks-required-option', missing));
  const repeated = repeatedOperation(given);
  if (repeated !== null) return opaque(because('option-twice', repeated));
  const choice = chosenBy(effects);
  if (isReason(choice)) return opaque(choice);
  const does = choice.operation === null ? command.does : null;
  if (choice.operation === null && does === null) return opaque(because('says-no-operation', rule.tool));
  const placed = directoriesOf(given, context);
  if (isReason(placed)) return opaque(placed);
  if (isInRepository(command.adds) && isUnsureRepository(placed.operands)) return opaque(because('repository-unsure'));
  const setting: WordSetting = {
    mode: choice.mode,
    isTree: effects.some(({ isTree }) => isTree === true),
    also: [...new Set(effects.flatMap(({ access }) => access ?? []))],
    isOpenedInPlace: opensInPlace(rule.tool),
    changesFileItself: changesFileItself(rule.tool),
    pathReading: pathReading(rule.tool, command.operation),
    context: placed.operands,
  };
  const slots = operandMeanings(given, choice.operands ?? command.operands, setting);
  if (isReason(slots)) return opaque(slots);
  const fixedResources: Resource[] = [];
  const isOnly = effects.some((effect) => effect.isOnly === true);
  for (const fixedResource of [...(isOnly ? [] : command.adds), ...effects.flatMap(({ adds }) => adds ?? [])]) {
    const resource = fixedMeaning(fixedResource, { ...setting, context: placed.operands });
    if (isReason(resource)) return opaque(resource);
    // With `find -L`, links can lead anywhere: the rule adds the tree `/`. With `-delete`, find may delete anywhere in this tree.
    const isBehindLinks = fixedResource.kind === 'tree' && fixedResource.value === '/';
    fixedResources.push(resource, ...(isBehindLinks ? setting.also : []).map((access) => ({ ...resource, access })));
    const others = furtherProjects(fixedResource.value, resourcesOf(slots), placed.operands);
    fixedResources.push(...others.map((value) => ({ ...resource, value })));
  }
  const located = withJoinedOutputs(uses);
  if (isReason(located)) return opaque(located);
  const values = valueMeanings(located, {
    ...setting,
    isTree: false,
    also: [],
    pathReading: 'plain',
    context: placed.values,
  });
  const operation = choice.operation === null ? command.operation : `${rule.tool} ${choice.operation}`;
  const unnamed = refsNotNamed(operation, resourcesOf(slots));
  const links = linkTargets(rule.tool, uses, given.operands, placed.operands);
  const options = [...new Set(uses.map(({ rule: option }) => option.canonical))].sort();
  const meanings = [
    ...slots,
    ...values,
    { resources: [...fixedResources, ...unnamed, ...links] },
    meaningOfSort(operation, placed.operands),
    meaningOfEditor(operation, options, placed.operands),
  ];
  const known = resourcesOf(meanings);
  if (rule.tool === 'awk' && known.some(isNetworkFile)) return opaque(because('opens-connection'));
  const call = { tool: rule.tool, operation, resources: known, operands: resourcesOf(slots), options };
  const hooked = [
    ...hookEffects(rule.tool, known, placed.operands),
    ...localRemotes(operation, resourcesOf([...slots, ...values])),
  ];
  const added = addedRepositories(call, placed.operands);
  const further = [
    ...hooked,
    ...added,
    ...treeEffects(
      rule.tool,
      operation,
      options,
      meanings,
      sourcesOf(rule.tool, uses, given.operands),
      placed.operands,
    ),
    ...behindOwnLinks(rule.tool, uses, given.operands, known, placed.operands),
    ...recordsElsewhere(command.adds, known, placed.operands),
    ...trackingEffects(operation, uses, known, placed.operands),
    ...effectsOfRemoteSettings(operation, resourcesOf([...slots, ...values]), placed.operands),
    ...linkedSources(rule.tool, uses, resourcesOf(slots)),
    ...packedNames(rule.tool, uses, given.operands, placed.operands),
    ...missingParents(rule.tool, uses, given.operands, known, placed.operands),
    ...deletedParents(rule.tool, uses, given.operands, placed.operands),
  ];
  const draft: Draft = {
    tool: rule.tool,
    operation,
    options,
    risk: effects.reduce<Risk>((risk, effect) => higherRisk(risk, effect.risk ?? 'low'), isOnly ? 'low' : command.risk),
    sentences: [
      ...(does === null ? [] : [does]),
      ...effects.flatMap((effect) => effect.does ?? []),
      ...(hooked.length === 0 ? [] : [HOOK_SENTENCE]),
      ...(added.length === 0 ? [] : [REPOSITORY_SENTENCE]),
      ...loginSentences(rule, known),
    ],
  };
  const listed = directoriesListedByShell(words, resourcesOf([...around, ...meanings]), context);
  const secrets = namedSecrets(uses, known, placed.operands);
  const found = conclude(draft, [...around, ...meanings, { resources: further }, secrets, listed], context.home);
  return found.kind === 'opaque' ? found : { ...found, repository: repositoryRead(rule.tool, placed.operands) };
}

/** gawk opens a connection if a file name, for example an operand, is `/inet/tcp/0/HOST/PORT`. */
const isNetworkFile = ({ kind, value }: Resource): boolean => kind === 'path' && /^\/inet[46]?(?:\/|$)/.test(value);

const resourcesOf = (meanings: readonly Meaning[]): readonly Resource[] =>
  meanings.flatMap(({ resources }) => resources);

/** Returns the effects of the options, without repetition, in the order of the rule file. The effects of the operands come last. */
function ruleEffectsOf({ command, uses, operands }: Arguments): readonly RuleEffect[] {
  const found = new Map<RuleEffect, OptionRule>();
  for (const { rule } of uses) if (rule.effect !== null) found.set(rule.effect, rule);
  const effects = [...found]
    .sort(([, a], [, b]) => a.rank - b.rank || (a.canonical < b.canonical ? -1 : 1))
    .map(([effect]) => effect);
  // If an option names the operation, the operands do not change the operation.
  const hasOperation = effects.some(({ operation }) => operation !== undefined);
  if (operands.length > 0 && command.withOperands !== null && !hasOperation) effects.push(command.withOperands);
  // bash may expand a pattern to zero words.
  const mayBeEmpty = operands.every((word) => shapeOf(word) !== 'one');
  if (mayBeEmpty && command.withoutOperands !== null) effects.push(command.withoutOperands);
  return effects;
}

/**
 * Returns the name of an option that chooses the operation and is given twice; null: no option is like this. In `kill -9 -9 12`, the
 * second `-9` may mean a process group.
 */
function repeatedOperation({ uses }: Arguments): string | null {
  const seenEffects = new Set<unknown>();
  for (const { name, rule } of uses) {
    const { effect } = rule;
    if (effect?.operation === undefined) continue;
    if (seenEffects.has(effect)) return name;
    seenEffects.add(effect);
  }
  return null;
}

/**
 * Returns the operation, the mode and the operand rules that the effects choose. A member is null if no effect chooses this member.
 * Returns a reason if the effects contradict each other.
 */
function chosenBy(effects: readonly RuleEffect[]) {
  const operations = new Set(effects.flatMap(({ operation }) => operation ?? []));
  const modes = new Set(effects.flatMap(({ mode }) => mode ?? []));
  const operands = new Set(effects.flatMap((effect) => (effect.operands === undefined ? [] : [effect.operands])));
  const kinds = new Set([...operands].map((operandRules) => JSON.stringify(operandRules)));
  if (operations.size > 1 || modes.size > 1 || kinds.size > 1) return because('options-conflict');
  const [operation = null] = operations;
  const [mode = null] = modes;
  const [chosen = null] = operands;
  return { operation, mode, operands: chosen };
}

/**
 * Returns the context of the operands and the context of the option values. `git -C` and `tar -C` change the working directory for some
 * words. Returns a reason if such an option is given twice, names no directory, or possibly changes the directory for only some
 * operands.
 */
function directoriesOf({ uses, beforeDashes, operands }: Arguments, context: CommandContext) {
  const moves = uses.filter(({ rule }) => rule.directory !== null);
  const [move] = moves;
  if (move === undefined) return { operands: context, values: context };
  if (moves.length > 1) return because('moves-twice');
  if (move.value === null) return because('moves-nowhere');
  if (move.rule.directory === 'operands' && (move.operandsBefore > 0 || beforeDashes < operands.length))
    return because('moves-between-operands');
  const path = pathOfWord(move.value, context, 'target');
  // bash matches patterns in its own working directory, not in the directory that the option names.
  const moved: CommandContext = { ...context, cwd: path.isExact ? path.value : null, matchesOf: () => null };
  return { operands: moved, values: move.rule.directory === 'all' ? moved : context };
}

function valueMeanings(uses: readonly OptionUse[], setting: WordSetting): readonly Meaning[] {
  return uses.flatMap(({ name, rule, value }): readonly Meaning[] => {
    if (value === null) return [];
    if (rule.oneOf !== null && !(value.kind === 'literal' && rule.oneOf.includes(value.value)))
      return [{ resources: [], opaque: because('option-value-not-in-rules', value.source, name) }];
    return rule.value === null ? [] : meaningOfWords([value], rule.value, setting);
  });
}

function operandMeanings(
  { command, operands, beforeDashes }: Arguments,
  rules: readonly WordRule[],
  setting: WordSetting,
): readonly Meaning[] | Reason {
  const bare = new Set(command.bareWords);
  const plain = (words: readonly Word[]) =>
    bare.size === 0 ? words : words.filter((word) => !(word.kind === 'literal' && bare.has(word.value)));
  if (command.behindDashes === null) return placeOperands(plain(operands), rules, setting);
  const first = placeOperands(plain(operands.slice(0, beforeDashes)), rules, setting);
  const second = placeOperands(operands.slice(beforeDashes), command.behindDashes, setting);
  if (isReason(first)) return first;
  return isReason(second) ? second : [...first, ...second];
}

/** Assigns the operands to the rules in order. The rule with `*` or `+` takes the operands that the other rules leave. */
function placeOperands(
  words: readonly Word[],
  rules: readonly WordRule[],
  setting: WordSetting,
): readonly Meaning[] | Reason {
  const repeated = rules.findIndex(({ count }) => count === '*' || count === '+');
  const needed = rules.filter(({ count }) => count === '1' || count === '+').length;
  if (words.length < needed) return because('too-few-operands');
  let spare = words.length - needed;
  const meanings: Meaning[] = [];
  let at = 0;
  for (const [index, rule] of rules.entries()) {
    let take = rule.count === '1' || rule.count === '+' ? 1 : 0;
    if (rule.count === '?' && spare > 0) {
      take = 1;
      spare -= 1;
    }
    if (index === repeated) {
      const later = Math.min(spare, rules.slice(index + 1).filter(({ count }) => count === '?').length);
      take += spare - later;
      spare = later;
    }
    const taken = words.slice(at, at + take);
    at += take;
    const [spread] = taken.filter((word) => index !== repeated && shapeOf(word) !== 'one');
    if (spread !== undefined && !(isPatternBeforeFiles(rules) && shapeOf(spread) === 'many'))
      return because('operand-splits', spread.source);
    if (spread !== undefined && rules[1] !== undefined) meanings.push(...meaningOfWords(taken, rules[1], setting));
    if (taken.length > 0) meanings.push(...meaningOfWords(taken, rule, setting));
  }
  if (at < words.length) return because('operand-not-in-rules', words[at]?.source ?? '');
  // A word that bash splits moves all later operands to other positions. Then other rules apply to these operands.
  if (repeated !== rules.length - 1 && words.some((word) => shapeOf(word) === 'splits'))
    return because('some-word-splits');
  return meanings;
}

/**
 * Whether the operands are one text and, behind the text, files to read: `grep [n]ode FILE…`. bash may expand the text as a glob. The
 * matched names count as files that the command reads. If the glob expands to no word, the first file becomes the text.
 */
const isPatternBeforeFiles = ([text, files, ...rest]: readonly WordRule[]): boolean =>
  text?.kind === 'text' &&
  text.count === '1' &&
  files?.kind === 'path' &&
  files.access === 'read' &&
  files.count === '*' &&
  rest.length === 0;

/**
 * The lowest risk that a command with this resource can have: medium if the access changes a file or is `contact`. The rule file can only
 * raise the risk.
 */
const leastRisk = ({ kind, access }: Resource): Risk =>
  access === 'contact' || (kind === 'path' && (access === 'write' || access === 'delete')) ? 'medium' : 'low';

/**
 * Combines all meanings into the permission of the command. If a meaning is opaque, returns the reason of the first opaque meaning.
 * @param home the user's home directory; null: not known
 */
function conclude(draft: Draft, meanings: readonly Meaning[], home: string | null): CommandEffects {
  let risk = draft.risk;
  const further = new Set<string>();
  const resources = new Map<string, Resource>();
  for (const meaning of meanings) {
    if (meaning.opaque !== undefined) return opaque(meaning.opaque);
    if (meaning.risk !== undefined) risk = higherRisk(risk, meaning.risk);
    if (meaning.does !== undefined) further.add(meaning.does);
    for (const resource of meaning.resources) {
      resources.set(`${resource.kind}\0${resource.access}\0${resource.isExact ? 1 : 0}\0${resource.value}`, resource);
      risk = higherRisk(risk, leastRisk(resource));
      const sensitive = sensitivityOf(resource, home);
      if (sensitive === null) continue;
      risk = higherRisk(risk, sensitive.risk);
      further.add(sensitive.does);
    }
  }
  const { tool, operation, options } = draft;
  const sentence = [...new Set([...draft.sentences, ...[...further].sort()])].join(' ');
  const ordered = [...resources].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, resource]) => resource);
  return {
    kind: 'understood',
    permission: { tool, operation, options, resources: ordered, risk, sentence },
    repository: null,
  };
}
