/**
 * Computes the permission of a command together with its wrappers. A command that runs elsewhere or as another user gets another operation.
 * So a scope for the command on this host does not cover the other operation.
 */

import type { LineCommand } from '../reading/commands-in.ts';
import { knownText } from '../reading/known-text.ts';
import type { Assignment, Word } from '../reading/reading.ts';
import type { Setting, SettingKind } from '../reading/unwrapping.ts';
import { isAtOrBelow } from '../text/path.ts';
import { type CommandContext, normalizePath, textualContext } from './command-context.ts';
import { type CommandEffects, effectsOfSimple } from './effects-of-simple.ts';
import { pathsReadByShell } from './paths-read-by-shell.ts';
import { higherRisk, type Permission, type Resource, type Risk } from './permission.ts';
import { sentencesOfBuiltin, sentencesOfShell } from './shell-sentence.ts';
import { IN_CONTAINER, IN_NAMESPACE, ON_HOST } from './where-it-runs.ts';

/**
 * @property context     the context at the start of the line, with the `tool` of this command
 * @property hasSearchedCd whether CDPATH is set. If CDPATH is set, the target of a relative `cd` is not known
 */
export interface CommandPlace {
  readonly context: CommandContext;
  readonly hasSearchedCd: boolean;
}

/** Returns what a command would do together with its wrappers. If that is not known, returns the reason. */
export function effectsOf(lineCommand: LineCommand, place: CommandPlace): CommandEffects {
  const settings = lineCommand.through.flatMap((layer) => layer.settings);
  const isAway = settings.some(({ kind }) => AWAY.has(kind));
  // bash matches patterns in its own working directory, not in the directory to which the wrapper changes.
  const isMoved = settings.some((setting) => setting.kind === 'directory');
  const cwd = directoryOf(lineCommand, place);
  const context: CommandContext = isAway
    ? elsewhere(place.context, cwd, settings)
    : { ...place.context, cwd, ...(isMoved ? { matchesOf: () => null } : {}) };
  const { kind } = lineCommand.meaning;
  // The words of a harmless builtin are left out: only its redirections, its assignments and the paths that it reads have effects.
  const { command } = lineCommand;
  const found =
    kind === 'harmless' || kind === 'directory'
      ? effectsOfSimple(
          { ...command, words: [], mentions: command.words, assignments: assigned(lineCommand) },
          context,
          {
            reads: pathsReadByShell(command, context),
            sentences: sentencesOfBuiltin(command, context.rules),
          },
        )
      : effectsOfSimple(
          command,
          context,
          command.words.length > 0
            ? undefined
            : { reads: pathsReadByShell(command, context), sentences: sentencesOfShell(command) },
        );
  return found.kind === 'opaque' ? found : { ...found, permission: withSettings(found.permission, settings) };
}

/**
 * Returns the context of a command that does not see the files of this host. The files of the other place cannot be looked up here. Another
 * host may have BSD tools.
 */
const elsewhere = (
  { rules, isRedefined, variables, hasBsdTools }: CommandContext,
  cwd: string | null,
  settings: readonly Setting[],
): CommandContext => ({
  ...textualContext(rules, cwd, null),
  ...(hasBsdTools === true || settings.some(({ kind }) => kind === 'host') ? { hasBsdTools: true } : {}),
  ...(isRedefined === undefined ? {} : { isRedefined }),
  ...(variables === undefined ? {} : { variables }),
});
/** Builtins that set variables. The words of these builtins count like assignments in front of a command. */
const SETTING: ReadonlySet<string> = new Set(['export', 'declare', 'typeset', 'local', 'read', 'unset']);

function assigned({ command }: LineCommand): readonly Assignment[] {
  const [name, ...words] = command.words;
  if (name?.kind !== 'literal' || !SETTING.has(name.value)) return command.assignments;
  return [...command.assignments, ...words.flatMap(assignmentIn)];
}

/**
 * Reads `NAME=VALUE`. Also reads `NAME` and `NAME+=VALUE`, both with the value null. Returns an empty list for other words, such as
 * options.
 */
function assignmentIn(word: Word): readonly Assignment[] {
  const text = knownText(word);
  const [all, name, sign] = /^([A-Za-z_]\w*)(\+?=)?/.exec(text) ?? [];
  if (all === undefined || name === undefined) return [];
  if (sign !== '=') return [{ name, value: null }];
  const value: Word =
    word.kind === 'literal' ? { ...word, value: text.slice(all.length) } : { ...word, prefix: text.slice(all.length) };
  return [{ name, value }];
}

/** If a wrapper has one of these settings, the command does not see the files of this host. */
const AWAY: ReadonlySet<SettingKind> = new Set<SettingKind>(['host', 'container', 'root directory']);

function directoryOf(command: LineCommand, place: CommandPlace): string | null {
  const directory = directoryAtStart(command, place);
  const { earlier, resolvePath } = place.context;
  if (directory === null || earlier === undefined || earlier.moved.length === 0) return directory;
  const real = resolvePath(directory, 'target');
  return earlier.moved.some((area) => isAtOrBelow(real, area)) ? null : directory;
}

/** Returns the directory in which the command starts; null: not known. Does not check whether the line moves this directory. */
function directoryAtStart({ directory }: LineCommand, { context, hasSearchedCd }: CommandPlace): string | null {
  if (directory === null || directory.startsWith('/')) return directory;
  if (directory === '') return context.cwd;
  return context.cwd === null || hasSearchedCd ? null : normalizePath(`${context.cwd}/${directory}`);
}

interface Elsewhere {
  readonly prefix: (value: string) => string;
  readonly risk: Risk;
  readonly resource: ((value: string) => Omit<Resource, 'isExact'>) | null;
}

/**
 * The settings of wrappers that change the operation of a command. Other settings change only these things: how often the command runs, its
 * directory, its variables, and the start-up files that run first.
 */
const ELSEWHERE: Partial<Readonly<Record<SettingKind, Elsewhere>>> = {
  user: { prefix: (value) => `as ${value}`, risk: 'high', resource: null },
  host: {
    prefix: (value) => `${ON_HOST} ${value}`,
    risk: 'medium',
    resource: (value) => ({ kind: 'host', access: 'contact', value: value.replace(/^.*@/, '').toLowerCase() }),
  },
  container: {
    prefix: (value) => `${IN_CONTAINER} ${value}`,
    risk: 'medium',
    resource: (value) => ({ kind: 'container', access: 'execute', value }),
  },
  'root directory': { prefix: (value) => `under ${value}`, risk: 'high', resource: null },
  namespace: { prefix: () => IN_NAMESPACE, risk: 'high', resource: null },
};

const UNKNOWN = '(only known at run time)';

/** Adds the settings to the permission, beginning with the innermost setting. Example with two settings: `on web: as root: rm`. */
function withSettings(permission: Permission, settings: readonly Setting[]): Permission {
  let changed = permission;
  for (const { kind, value } of [...settings].reverse()) {
    const elsewhere = ELSEWHERE[kind];
    if (elsewhere === undefined) continue;
    const name = elsewhere.prefix(value ?? UNKNOWN);
    const added = elsewhere.resource?.(value ?? '');
    const resources = AWAY.has(kind)
      ? changed.resources.map((resource) => markedElsewhere(resource, name))
      : changed.resources;
    changed = {
      ...changed,
      operation: `${name}: ${changed.operation}`,
      risk: higherRisk(changed.risk, elsewhere.risk),
      resources: added === undefined ? resources : [...resources, { ...added, isExact: value !== null }],
      sentence: `${name[0]?.toUpperCase()}${name.slice(1)}: ${changed.sentence}`,
    };
  }
  return changed;
}

/** Marks a path that is not on this host. So no pattern for paths on this host matches the marked path. */
const markedElsewhere = (resource: Resource, name: string): Resource =>
  resource.kind === 'path' ? { ...resource, value: `(${name}) ${resource.value}` } : resource;
