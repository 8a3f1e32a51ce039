/** The second stage of reading a call of a tool. Finds the meaning of the call's words, and of the resources that the rule file adds. */

import type { Word } from '../reading/reading.ts';
import { because, isReason, type Reason } from '../reasons/reason.ts';
import type { WordRule } from '../rules/rule.ts';
import { meaningOfEditor } from './git-editor.ts';
import { meaningOfSort } from './git-formats.ts';
import { withJoinedOutputs } from './joined-outputs.ts';
import { linkTargets } from './link-target.ts';
import { type Meaning, resourcesOf } from './meaning.ts';
import { changesFileItself, opensInPlace } from './opened-in-place.ts';
import { pathReading } from './pathspec.ts';
import type { Resource } from './permission.ts';
import { furtherProjects } from './project-root.ts';
import type { Arguments, OptionUse } from './read-arguments.ts';
import { refsNotNamed } from './refspec.ts';
import type { ToolForm } from './tool-form.ts';
import { fixedMeaning, meaningOfWords, type WordSetting } from './word-meaning.ts';
import { shapeOf } from './word-shape.ts';

/**
 * A call of a tool, and what its words mean.
 * @property ofOperands the resources that the operands name
 * @property named      the resources that the operands and the values of options name
 * @property meanings   the meanings of all words, and of what the rule file and settings add to these words
 * @property resources  all resources of `meanings`
 */
export interface UnderstoodCall extends ToolForm {
  readonly ofOperands: readonly Resource[];
  readonly named: readonly Resource[];
  readonly meanings: readonly Meaning[];
  readonly resources: readonly Resource[];
}

/** Returns a reason if a word is not understood. */
export function understand(form: ToolForm): UnderstoodCall | Reason {
  const { tool, command, effects, operation, options, context } = form;
  const setting: WordSetting = {
    mode: form.mode,
    isTree: effects.some(({ isTree }) => isTree === true),
    also: [...new Set(effects.flatMap(({ access }) => access ?? []))],
    isOpenedInPlace: opensInPlace(tool),
    changesFileItself: changesFileItself(tool),
    pathReading: pathReading(tool, command.operation),
    context,
  };
  const slots = operandMeanings(form, form.operandRules, setting);
  if (isReason(slots)) return slots;
  const ofOperands = resourcesOf(slots);
  const fixed = fixedResources(form, ofOperands, setting);
  if (isReason(fixed)) return fixed;
  const located = withJoinedOutputs(form.uses);
  if (isReason(located)) return located;
  const values = valueMeanings(located, {
    ...setting,
    isTree: false,
    also: [],
    pathReading: 'plain',
    context: form.valueContext,
  });
  const meanings = [
    ...slots,
    ...values,
    { resources: [...fixed, ...refsNotNamed(operation, ofOperands), ...linkTargets(form)] },
    meaningOfSort(operation, context),
    meaningOfEditor(operation, options, context),
  ];
  const resources = resourcesOf(meanings);
  if (tool === 'awk' && resources.some(isNetworkFile)) return because('opens-connection');
  return { ...form, ofOperands, named: resourcesOf([...slots, ...values]), meanings, resources };
}

/** gawk opens a connection if a file name, for example an operand, is `/inet/tcp/0/HOST/PORT`. */
const isNetworkFile = ({ kind, value }: Resource): boolean => kind === 'path' && /^\/inet[46]?(?:\/|$)/.test(value);

/** Returns the resources that the rule file adds. Returns a reason if the access of one of them is not known. */
function fixedResources(
  { command, effects, isOnly, context }: ToolForm,
  ofOperands: readonly Resource[],
  setting: WordSetting,
): readonly Resource[] | Reason {
  const found: Resource[] = [];
  for (const fixedResource of [...(isOnly ? [] : command.adds), ...effects.flatMap(({ adds }) => adds ?? [])]) {
    const resource = fixedMeaning(fixedResource, setting);
    if (isReason(resource)) return resource;
    // With `find -L`, links can lead anywhere: the rule adds the tree `/`. With `-delete`, find may delete anywhere in this tree.
    const isBehindLinks = fixedResource.kind === 'tree' && fixedResource.value === '/';
    found.push(resource, ...(isBehindLinks ? setting.also : []).map((access) => ({ ...resource, access })));
    const others = furtherProjects(fixedResource.value, ofOperands, context);
    found.push(...others.map((value) => ({ ...resource, value })));
  }
  return found;
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
