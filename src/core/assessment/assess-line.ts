/** From a line to what a standing grant must cover: everything it would do, or why only its exact bytes can be approved. */

import type { Judgement } from '../permission/judge.ts';
import type { Earlier } from '../permission/judge-context.ts';
import { judgeUnderstood } from '../permission/judge-understood.ts';
import { higherRisk, type Permission, type Risk } from '../permission/permission.ts';
import type { RuleBook } from '../permission/rule.ts';
import type { Parse } from '../reading/read-script.ts';
import type { Opacity, Word } from '../reading/reading.ts';
import type { Resolution } from '../reading/resolution.ts';
import { type Understanding, type UnderstoodCommand, understandLine } from '../reading/understand.ts';
import type { Layer } from '../reading/unwrapping.ts';
import { adviceFor, because, isReason, type Reason, throughProgram } from '../reasons/reason.ts';
import { effectOf, hasEffect, mayComeBefore, NO_EFFECT, togetherOf } from './earlier-effects.ts';
import type { Agreement, Lookups } from './host-facts.ts';
import { type Program, programOf } from './program.ts';

/** `resolution` is null for what has no name, or a name only known at run time, or runs on another host or in a container. */
export interface AssessedCommand extends UnderstoodCommand {
  /** By the rules; null without rules. */
  readonly judgement: Judgement | null;
  readonly resolution: Resolution | null;
  readonly wrappers: readonly { readonly layer: Layer; readonly resolution: Resolution | null }[];
}

/**
 * One thing a line would do, to be covered by one standing grant.
 * @property programs the files that run for it, wrappers included; empty for what the shell does itself
 * @property source   as it stands in the line
 */
export interface RequiredPermission {
  readonly permission: Permission;
  readonly programs: readonly Program[];
  readonly source: string;
}

interface Opaqueness extends Opacity {
  readonly advice: string;
}

/**
 * @property opaque  every reason why only the exact bytes can be approved; empty when there is none
 * @property bash    whether `bash -n` reads all of `texts`; anything but `agrees` makes it opaque
 * @property demands what the line would do, at least one; null when it is opaque, or there are no rules, or nothing to do
 * @property risk    the highest of the required permissions; null without demands
 */
export interface Assessment extends Omit<Understanding, 'commands' | 'opaque'> {
  readonly text: string;
  readonly commands: readonly AssessedCommand[];
  readonly opaque: readonly Opaqueness[];
  readonly bash: Agreement;
  readonly demands: readonly RequiredPermission[] | null;
  readonly risk: Risk | null;
}

/**
 * @property cwd   absolute
 * @property variables names that have a value before the line runs; absent: not known
 * @property rules null: without the rules of tools; then nothing can be demanded
 */
export interface AssessmentSetting {
  readonly cwd: string;
  readonly variables?: ReadonlySet<string>;
  readonly rules: RuleBook | null;
  readonly lookups: Lookups;
  readonly parse: Parse;
}

/** Reads the line, looks everything up and judges it. `bash` must be about all of the reading's `texts`. */
export function assessLine(text: string, bash: Agreement, setting: AssessmentSetting): Assessment {
  return assessUnderstanding(text, understandLine(text, setting.parse), bash, setting);
}

export function assessUnderstanding(
  text: string,
  understanding: Understanding,
  bash: Agreement,
  setting: AssessmentSetting,
): Assessment {
  const pathFrom = understanding.folded?.pathFrom ?? null;
  const commands = assessAll(understanding.commands, pathFrom, setting);
  const opaque: Opacity[] = [...understanding.opaque];
  for (const { judgement, command, meaning } of commands)
    if (judgement?.kind === 'opaque' && meaning.kind !== 'opaque')
      opaque.push({ code: judgement.code, reason: judgement.reason, source: command.source });
  const requiredPermissions: RequiredPermission[] = [];
  for (const each of setting.rules === null ? [] : commands) {
    const required = requiredPermissionOf(each);
    if (required === null) continue;
    if (isReason(required)) opaque.push({ ...required, source: each.command.source });
    else requiredPermissions.push(required);
  }
  opaque.push(...unsureAbout(text, understanding, bash));
  const isOpaque = opaque.length > 0 || requiredPermissions.length === 0;
  return {
    ...understanding,
    text,
    bash,
    commands,
    opaque: opaque.map((each) => ({ ...each, source: each.source.slice(0, 80), advice: adviceFor(each.code) })),
    demands: isOpaque ? null : requiredPermissions,
    risk: isOpaque
      ? null
      : requiredPermissions.reduce<Risk>((risk, { permission }) => higherRisk(risk, permission.risk), 'low'),
  };
}

function unsureAbout(text: string, { folded }: Understanding, bash: Agreement): readonly Opacity[] {
  const found: Opacity[] = [];
  if (bash !== 'agrees') found.push({ ...because('bash-unsure'), source: text });
  for (const file of folded?.sources ?? []) found.push({ ...because('runs-file-first'), source: file });
  return found;
}

/** A reason: why it cannot be demanded. Null: the judgement says so already. */
function requiredPermissionOf({
  judgement,
  command,
  resolution,
  wrappers,
  through,
  lookup,
}: AssessedCommand): RequiredPermission | Reason | null {
  if (judgement?.kind !== 'understood') return null;
  const isElsewhere = through.some(({ settings }) => settings.some(({ kind }) => ELSEWHERE.has(kind)));
  const programs: Program[] = [];
  for (const { layer, resolution: found } of wrappers) {
    const program = programOf(layer.name, layer.lookup, found, isElsewhere);
    if (program !== null && isReason(program)) return throughProgram(program, layer.name);
    if (program !== null) programs.push(program);
  }
  const [word] = command.words;
  if (word !== undefined) {
    const program = programOf(word.kind === 'literal' ? word.value : word.source, lookup, resolution, isElsewhere);
    if (program !== null && isReason(program)) return program;
    if (program !== null) programs.push(program);
  }
  return { permission: judgement.permission, programs, source: command.source };
}

const ELSEWHERE: ReadonlySet<string> = new Set(['host', 'container', 'root directory']);

/** Each by itself, and once more where another one may have changed by then what was looked at. */
function assessAll(
  commands: readonly UnderstoodCommand[],
  pathFrom: string | null,
  setting: AssessmentSetting,
): readonly AssessedCommand[] {
  const first = commands.map((each) => assess(each, pathFrom, NO_EFFECT, setting));
  const effects = first.map(({ judgement }) =>
    judgement?.kind === 'understood' ? effectOf(judgement.permission, setting.lookups) : NO_EFFECT,
  );
  if (!effects.some(hasEffect)) return first;
  return first.map((assessed, at) => {
    const before = togetherOf(effects.filter((_, other) => mayComeBefore(commands, other, at)));
    const command = commands[at];
    return command === undefined || !hasEffect(before) ? assessed : assess(command, pathFrom, before, setting);
  });
}

function assess(
  each: UnderstoodCommand,
  pathFrom: string | null,
  earlier: Earlier,
  setting: AssessmentSetting,
): AssessedCommand {
  const outside: Layer[] = [];
  const wrappers = each.through.map((layer) => {
    const resolution = resolveIn(layer.program, layer, outside, pathFrom, setting);
    outside.push(layer);
    return { layer, resolution };
  });
  const resolution = resolveIn(each.command.words[0], each, outside, pathFrom, setting);
  const other = wrappers.find((wrapper) => !isWhatItSays(wrapper.resolution));
  const judgement: Judgement | null =
    setting.rules === null
      ? null
      : other === undefined
        ? judged(each, resolution, earlier, setting, setting.rules)
        : { kind: 'opaque', ...because('through-other-program', other.layer.name) };
  return { ...each, wrappers, resolution, judgement };
}

/** What runs elsewhere cannot be looked up, and is another operation there. */
const isWhatItSays = (resolution: Resolution | null): boolean =>
  resolution === null || resolution.kind === 'file' || resolution.kind === 'builtin';

function judged(
  each: UnderstoodCommand,
  resolution: Resolution | null,
  earlier: Earlier,
  { cwd, lookups, variables }: AssessmentSetting,
  rules: RuleBook,
): Judgement {
  // A redefined name has no rules, whatever it was before.
  const isRedefined = resolution?.kind === 'alias' || resolution?.kind === 'function';
  const { hasSearchedCd, resolveName: _named, ...place } = lookups;
  const context = { ...place, rules, cwd, earlier, ...(variables === undefined ? {} : { variables }) };
  return judgeUnderstood(isRedefined ? { ...each, meaning: { kind: 'other' } } : each, {
    context: isRedefined ? { ...context, tool: null } : context,
    hasSearchedCd,
  });
}

/** @param outside the layers around it, which may lead to another machine, user or PATH */
function resolveIn(
  word: Word | undefined,
  { lookup }: Pick<UnderstoodCommand, 'lookup'>,
  outside: readonly Layer[],
  pathFrom: string | null,
  { lookups }: AssessmentSetting,
): Resolution | null {
  if (word?.kind !== 'literal') return null;
  const changes = new Set(outside.flatMap(({ settings }) => settings.map(({ kind }) => kind)));
  if (changes.has('host') || changes.has('container') || changes.has('root directory')) return null;
  const unsure = (['user', 'login shell', 'clean environment', 'namespace'] as const).find((kind) => changes.has(kind));
  const found = lookups.resolveName(word.value, word.source, lookup, pathFrom);
  if (unsure === undefined || found.kind !== 'file' || word.value.startsWith('/')) return found;
  return { kind: 'unsure', reason: `${WHOSE[unsure]} may find another file than ${found.path}` };
}

const WHOSE = {
  user: 'another user',
  'login shell': 'a login shell, after its start-up files,',
  'clean environment': 'a program without our PATH',
  namespace: 'a program in another namespace',
} as const;
