/**
 * Stage 3 of reading a line: finds the effects of the commands. Returns the permissions that standing grants must cover, or the
 * reasons why only the exact bytes of the line can be approved.
 */

import type { LineCommand, LineCommands } from '../reading/commands-in.ts';
import type { Opacity, Word } from '../reading/reading.ts';
import type { Resolution } from '../reading/resolution.ts';
import type { Layer } from '../reading/unwrapping.ts';
import { adviceFor, because, isReason, type Reason, throughProgram } from '../reasons/reason.ts';
import type { RuleBook } from '../rules/rule.ts';
import type { RequiredPermissionSchema } from '../wire/permission.ts';
import type { Shape } from '../wire/schema-parts.ts';
import { type Earlier, NO_EFFECT } from './command-context.ts';
import { combinedEffects, earlierEffectsOf, effectOnItself, hasEffect, mayComeBefore } from './earlier-effects.ts';
import { effectsOf } from './effects-of.ts';
import type { CommandEffects } from './effects-of-simple.ts';
import type { Agreement, Lookups } from './host-facts.ts';
import { higherRisk, type Risk } from './permission.ts';
import { type Program, programOf } from './program.ts';

/**
 * @property resolution what the command's name means on this host; null if the command has no name, or a name that is only known at run
 *                      time. Also null if the command runs on another host, in a container or under another root directory
 * @property wrappers   the wrappers around the command, the outermost first; each resolution is null for the same reasons as `resolution`
 */
export interface AssessedCommand extends LineCommand {
  /** What the command does according to the rule files; null if there are no rule files. */
  readonly effects: CommandEffects | null;
  readonly resolution: Resolution | null;
  readonly wrappers: readonly { readonly layer: Layer; readonly resolution: Resolution | null }[];
}

/**
 * What one command of a line would do. A single standing grant must cover the whole permission.
 * @property programs the programs that the command runs on this host: first its wrappers, from the outermost to the innermost, then its own
 *                    program. The entry of a builtin has no path
 * @property source   the command as written in the line
 * @property repository see `CommandEffects`; not sent over the wire
 */
export type RequiredPermission = Shape<typeof RequiredPermissionSchema> & { readonly repository: string | null };

/**
 * @property source the part of the line that the reason is about, cut to 80 UTF-16 code units
 * @property advice what the requester can do about the opacity
 */
interface AdvisedOpacity extends Opacity {
  readonly advice: string;
}

/**
 * @property opaque              every reason why only the exact bytes can be approved
 * @property bash                whether bash can parse all of `texts`; any value except `agrees` makes the line opaque
 * @property requiredPermissions at least one permission. Null if the line is opaque or has no command, or if there are no rule files
 * @property risk                the highest risk among the required permissions; null if `requiredPermissions` is null
 */
export interface Assessment extends Omit<LineCommands, 'commands' | 'opaque'> {
  readonly commands: readonly AssessedCommand[];
  readonly opaque: readonly AdvisedOpacity[];
  readonly bash: Agreement;
  readonly requiredPermissions: readonly RequiredPermission[] | null;
  readonly risk: Risk | null;
}

/**
 * @property cwd       absolute
 * @property variables names of the variables that have a value before the line runs; absent: not known
 * @property rules     null: there are no rule files, so `requiredPermissions` is null
 */
export interface AssessmentSetting {
  readonly cwd: string;
  readonly variables?: ReadonlySet<string>;
  readonly rules: RuleBook | null;
  readonly lookups: Lookups;
}

/** @param bash whether bash can parse all of the line's `texts` */
export function assessLine(line: LineCommands, bash: Agreement, setting: AssessmentSetting): Assessment {
  const commands = assessAll(line.commands, line.folded?.pathFrom ?? null, setting);
  const opaque: Opacity[] = [...line.opaque];
  // If the meaning is opaque, `line.opaque` already contains the reason.
  for (const { effects, command, meaning } of commands)
    if (effects?.kind === 'opaque' && meaning.kind !== 'opaque')
      opaque.push({ code: effects.code, reason: effects.reason, source: command.source });
  const requiredPermissions: RequiredPermission[] = [];
  for (const command of commands) {
    const required = requiredPermissionOf(command);
    if (required === null) continue;
    if (isReason(required)) opaque.push({ ...required, source: command.command.source });
    else requiredPermissions.push(required);
  }
  opaque.push(...opacitiesOfLine(line, bash));
  const isOpaque = opaque.length > 0 || requiredPermissions.length === 0;
  return {
    ...line,
    bash,
    commands,
    opaque: opaque.map((opacity) => ({
      ...opacity,
      source: opacity.source.slice(0, 80),
      advice: adviceFor(opacity.code),
    })),
    requiredPermissions: isOpaque ? null : requiredPermissions,
    risk: isOpaque
      ? null
      : requiredPermissions.reduce<Risk>((risk, { permission }) => higherRisk(risk, permission.risk), 'low'),
  };
}

/** Reasons that are about the line as a whole. */
function opacitiesOfLine({ text, folded }: LineCommands, bash: Agreement): readonly Opacity[] {
  const found: Opacity[] = [];
  if (bash !== 'agrees') found.push({ ...because('bash-unsure'), source: text });
  for (const file of folded?.sources ?? []) found.push({ ...because('runs-file-first'), source: file });
  return found;
}

/**
 * Returns a reason if no standing grant can cover the command. Returns null if the effects are null or opaque: `assessLine` already has
 * the reason for opaque effects.
 */
function requiredPermissionOf({
  effects,
  command,
  resolution,
  wrappers,
  through,
  lookup,
}: AssessedCommand): RequiredPermission | Reason | null {
  if (effects?.kind !== 'understood') return null;
  const isElsewhere = runsElsewhere(through);
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
  return { permission: effects.permission, programs, source: command.source, repository: effects.repository };
}

const ELSEWHERE: ReadonlySet<string> = new Set(['host', 'container', 'root directory']);

/** Whether one of the wrappers runs the command in a place for which this host cannot look up names of commands. */
const runsElsewhere = (wrappers: readonly Layer[]): boolean =>
  wrappers.some(({ settings }) => settings.some(({ kind }) => ELSEWHERE.has(kind)));

/**
 * Assesses each command alone. Then assesses a command again if the lookups for the command may be wrong when the command runs. The cause
 * can be another command that may run earlier, or the command itself (`effectOnItself`).
 */
function assessAll(
  commands: readonly LineCommand[],
  pathFrom: string | null,
  setting: AssessmentSetting,
): readonly AssessedCommand[] {
  const first = commands.map((command) => assess(command, pathFrom, NO_EFFECT, setting));
  const earlier = first.map(({ effects }) =>
    effects?.kind === 'understood' ? earlierEffectsOf(effects.permission, setting.lookups) : NO_EFFECT,
  );
  if (!earlier.some(hasEffect)) return first;
  return first.map((assessed, at) => {
    const before = combinedEffects([
      ...earlier.filter((_, other) => mayComeBefore(commands, other, at)),
      effectOnItself(earlier[at] ?? NO_EFFECT),
    ]);
    const command = commands[at];
    return command === undefined || !hasEffect(before) ? assessed : assess(command, pathFrom, before, setting);
  });
}

function assess(
  command: LineCommand,
  pathFrom: string | null,
  earlier: Earlier,
  setting: AssessmentSetting,
): AssessedCommand {
  const wrappers = command.through.map((layer, at) => {
    const outside = command.through.slice(0, at);
    return { layer, resolution: resolveIn(layer.program, layer, outside, pathFrom, setting) };
  });
  const resolution = resolveIn(command.command.words[0], command, command.through, pathFrom, setting);
  const replaced = wrappers.find((wrapper) => !isProgramOrBuiltin(wrapper.resolution));
  const assessed = { ...command, wrappers, resolution };
  if (setting.rules === null) return { ...assessed, effects: null };
  if (replaced !== undefined)
    return { ...assessed, effects: { kind: 'opaque', ...because('through-other-program', replaced.layer.name) } };
  return { ...assessed, effects: effectsHere(command, resolution, earlier, setting, setting.rules) };
}

/**
 * Whether the name means a program or a builtin. Also true for null: the name was not looked up, for example because the command runs on
 * another host.
 */
const isProgramOrBuiltin = (resolution: Resolution | null): boolean =>
  resolution === null || resolution.kind === 'file' || resolution.kind === 'builtin';

function effectsHere(
  command: LineCommand,
  resolution: Resolution | null,
  earlier: Earlier,
  { cwd, lookups, variables }: AssessmentSetting,
  rules: RuleBook,
): CommandEffects {
  // No rule file describes an alias or a function.
  const isRedefined = resolution?.kind === 'alias' || resolution?.kind === 'function';
  const { hasSearchedCd, resolveName: _resolveName, own: _own, ...placeLookups } = lookups;
  const context = { ...placeLookups, rules, cwd, earlier, ...(variables === undefined ? {} : { variables }) };
  return effectsOf(isRedefined ? { ...command, meaning: { kind: 'other' } } : command, {
    context: isRedefined ? { ...context, isRedefined } : context,
    hasSearchedCd,
  });
}

/**
 * Looks up what the name of a command means. Returns null if the name is only known at run time, or if the command runs on another host,
 * in a container or under another root directory.
 * @param outside  the wrappers around the command; a wrapper may choose another host, user or PATH
 * @param pathFrom the variable that the harness's prelude puts in front of PATH; null: there is no such variable
 */
function resolveIn(
  word: Word | undefined,
  { lookup }: Pick<LineCommand, 'lookup'>,
  outside: readonly Layer[],
  pathFrom: string | null,
  { lookups }: AssessmentSetting,
): Resolution | null {
  if (word?.kind !== 'literal' || runsElsewhere(outside)) return null;
  const changes = new Set(outside.flatMap(({ settings }) => settings.map(({ kind }) => kind)));
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
