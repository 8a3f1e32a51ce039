/** What `apes explain` says about one line: facts that were looked up, nothing that was run. */

import type { Judgement } from '../core/permission/judge.ts';
import { judgeUnderstood } from '../core/permission/judge-understood.ts';
import type { RuleBook } from '../core/permission/rule.ts';
import { adviceFor } from '../core/reading/advice.ts';
import type { Word } from '../core/reading/reading.ts';
import type { Resolution, Surroundings } from '../core/reading/resolution.ts';
import { type Understanding, type UnderstoodCommand, understandLine } from '../core/reading/understand.ts';
import type { Layer } from '../core/reading/unwrapping.ts';
import { type Agreement, bashAgrees } from '../gate/bash-agreement.ts';
import { loadBashParser } from '../platform/bash-parser.ts';
import { placeOnDisk } from '../platform/judge-place.ts';
import { resolveCommand } from '../platform/resolve-command.ts';

/** `null` for what has no name, or a name that is only known at run time, or runs on another host or in a container. */
export interface ExplainedCommand extends UnderstoodCommand {
  /** By the rules of this installation; null when they cannot be read. */
  readonly judgement: Judgement | null;
  readonly resolution: Resolution | null;
  readonly wrappers: readonly { readonly layer: Layer; readonly resolution: Resolution | null }[];
}

export interface Explanation extends Omit<Understanding, 'commands' | 'opaque'> {
  readonly text: string;
  readonly commands: readonly ExplainedCommand[];
  readonly opaque: readonly { readonly reason: string; readonly source: string; readonly advice: string }[];
  readonly bash: Agreement;
}

/** More texts than these are not put to bash one by one. */
const MOST_TEXTS = 16;

/** @param rules null: without the rules of tools */
export async function explainLine(
  text: string,
  around: Surroundings,
  bash: string,
  rules: RuleBook | null = null,
): Promise<Explanation> {
  const understanding = understandLine(text, await loadBashParser());
  const agreement = await agreementOn([...new Set(understanding.texts)], bash);
  const here = withPrelude(around, understanding.folded?.pathFrom ?? null);
  const commands = understanding.commands.map((each) => explain(each, here, rules));
  const byRules = commands.flatMap(({ judgement, command, meaning }) =>
    judgement?.kind === 'opaque' && meaning.kind !== 'opaque'
      ? [{ reason: judgement.reason, source: command.source }]
      : [],
  );
  const opaque = [...understanding.opaque, ...byRules];
  return {
    ...understanding,
    text,
    bash: agreement,
    opaque: opaque.map((each) => ({ ...each, advice: adviceFor(each.reason) })),
    commands,
  };
}

async function agreementOn(texts: readonly string[], bash: string): Promise<Agreement> {
  if (texts.length > MOST_TEXTS) return 'unknown';
  for (const text of texts) {
    const agreement = await bashAgrees(text, bash);
    if (agreement !== 'agrees') return agreement;
  }
  return 'agrees';
}

/** A prelude that puts a variable's value in front of PATH has done so when the command is looked up. */
function withPrelude({ cwd, entries }: Surroundings, name: string | null): Surroundings {
  const added = name === null ? undefined : entries.get(name);
  if (added === undefined) return { cwd, entries };
  const path = entries.get('PATH') ?? '';
  return { cwd, entries: new Map([...entries, ['PATH', path === '' ? added : `${added}:${path}`]]) };
}

function explain(each: UnderstoodCommand, around: Surroundings, rules: RuleBook | null): ExplainedCommand {
  const outside: Layer[] = [];
  const wrappers = each.through.map((layer) => {
    const resolution = resolveIn(layer.program, layer, outside, around);
    outside.push(layer);
    return { layer, resolution };
  });
  const resolution = resolveIn(each.command.words[0], each, outside, around);
  const other = wrappers.find((wrapper) => !isWhatItSays(wrapper.resolution));
  const judgement: Judgement | null =
    rules === null
      ? null
      : other === undefined
        ? judged(each, resolution, around, rules)
        : { kind: 'opaque', reason: `goes through ${other.layer.name}, which may be another program here` };
  return { ...each, wrappers, resolution, judgement };
}

/** What runs elsewhere cannot be looked up, and is another operation there. */
const isWhatItSays = (resolution: Resolution | null): boolean =>
  resolution === null || resolution.kind === 'file' || resolution.kind === 'builtin';

function judged(
  each: UnderstoodCommand,
  resolution: Resolution | null,
  { cwd, entries }: Surroundings,
  rules: RuleBook,
): Judgement {
  // A redefined name has no rules, whatever it was before.
  const isRedefined = resolution?.kind === 'alias' || resolution?.kind === 'function';
  const context = { rules, cwd, home: entries.get('HOME') ?? null, ...placeOnDisk };
  return judgeUnderstood(isRedefined ? { ...each, meaning: { kind: 'other' } } : each, {
    context: isRedefined ? { ...context, tool: null } : context,
    hasSearchedCd: (entries.get('CDPATH') ?? '') !== '',
  });
}

/** @param outside the layers around it, which may lead to another machine, user or PATH */
function resolveIn(
  word: Word | undefined,
  { lookup }: Pick<UnderstoodCommand, 'lookup'>,
  outside: readonly Layer[],
  around: Surroundings,
): Resolution | null {
  if (word?.kind !== 'literal') return null;
  const changes = new Set(outside.flatMap(({ settings }) => settings.map(({ kind }) => kind)));
  if (changes.has('host') || changes.has('container') || changes.has('root directory')) return null;
  const unsure = (['user', 'login shell', 'clean environment', 'namespace'] as const).find((kind) => changes.has(kind));
  const found = resolveCommand(word.value, word.source, lookup, around);
  if (unsure === undefined || found.kind !== 'file' || word.value.startsWith('/')) return found;
  return { kind: 'unsure', reason: `${WHOSE[unsure]} may find another file than ${found.path}` };
}

const WHOSE = {
  user: 'another user',
  'login shell': 'a login shell, after its start-up files,',
  'clean environment': 'a program without our PATH',
  namespace: 'a program in another namespace',
} as const;
