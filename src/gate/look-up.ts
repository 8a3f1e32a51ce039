/** Everything this host can say about a line before somebody decides: looked up, never run. */
import { type Assessment, assessUnderstanding } from '../core/assessment/assess-line.ts';
import { type Agreement, type Findings, type Lookups, recordLookups } from '../core/assessment/findings.ts';
import type { RuleBook } from '../core/permission/rule.ts';
import type { Resolution, Surroundings } from '../core/reading/resolution.ts';
import { understandLine } from '../core/reading/understand.ts';
import type { ExecutionRequest } from '../core/request.ts';
import { loadBashParser } from '../platform/bash-parser.ts';
import { placeOnDisk } from '../platform/judge-place.ts';
import { resolveCommand } from '../platform/resolve-command.ts';
import { bashAgrees } from './bash-agreement.ts';

/** @property findings what a server needs to judge the same line itself; null when it is too much to send */
export interface LookedUp {
  readonly assessment: Assessment;
  readonly findings: Findings | null;
}

/** More texts than these are not put to bash one by one. */
const MOST_TEXTS = 16;

/**
 * @param around what names mean where the line would run
 * @param bash   absolute path
 * @param rules  null: without the rules of tools
 * @param unsure why no name in it is certain, or null: what runs before the line may redefine them
 * @param program the name that no shell looks up, so that it is a file even where a shell has a builtin; or null
 */
export async function lookUp(
  text: string,
  around: Surroundings,
  bash: string,
  rules: RuleBook | null,
  unsure: string | null = null,
  program: string | null = null,
): Promise<LookedUp> {
  const parse = await loadBashParser();
  const understanding = understandLine(text, parse);
  const agreement = await agreementOn([...new Set(understanding.texts)], bash);
  const { lookups, taken } = recordLookups(
    unsure === null ? lookupsOf(around, program) : unsureLookups(around, unsure),
  );
  const assessment = assessUnderstanding(text, understanding, agreement, { cwd: around.cwd, rules, lookups, parse });
  return { assessment, findings: taken(agreement) };
}

/** The same for a request; null for a kind that only its exact bytes can cover. */
export async function lookUpRequest(
  request: ExecutionRequest,
  bash: string,
  rules: RuleBook | null,
): Promise<LookedUp | null> {
  const { kind, text, cwd, argv } = request;
  const entries = new Map(
    request.environment.flatMap((each) => (each.digest ? [] : [[each.name, each.value] as const])),
  );
  switch (kind) {
    case 'line':
      return lookUp(text, { cwd, entries }, bash, rules);
    case 'command':
      return lookUp(text, { cwd, entries }, bash, rules, whatRunsFirst(argv, entries));
    case 'argv':
      return lookUp(text, { cwd, entries: asProgram(entries) }, bash, rules, null, argv[0] ?? null);
    default:
      return null;
  }
}

/** `bash -c TEXT [NAME ARG…]` and nothing else: with `-l` or `-i`, or BASH_ENV, start-up files run before the text. */
function whatRunsFirst(argv: readonly string[], entries: ReadonlyMap<string, string>): string | null {
  if (argv[0] !== '-c') return 'start-up files of the shell run first, and may redefine it';
  return (entries.get('BASH_ENV') ?? '') === '' ? null : 'the file that BASH_ENV names runs first, and may redefine it';
}

/** No shell stands before a program: functions that were exported to shells mean nothing to it. */
const asProgram = (entries: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...entries].filter(([name]) => !name.startsWith('BASH_FUNC_')));

async function agreementOn(texts: readonly string[], bash: string): Promise<Agreement> {
  if (texts.length > MOST_TEXTS) return 'unknown';
  for (const text of texts) {
    const agreement = await bashAgrees(text, bash);
    if (agreement !== 'agrees') return agreement;
  }
  return 'agrees';
}

const lookupsOf = (around: Surroundings, program: string | null = null): Lookups => ({
  ...placeOnDisk,
  home: around.entries.get('HOME') ?? null,
  hasSearchedCd: (around.entries.get('CDPATH') ?? '') !== '',
  resolveName: (name, source, lookup, pathFrom) =>
    resolveCommand(name, source, name === program ? 'file' : lookup, withPrelude(around, pathFrom)),
});

const unsureLookups = (around: Surroundings, reason: string): Lookups => ({
  ...lookupsOf(around),
  resolveName: (name, source, lookup, pathFrom): Resolution => {
    const found = resolveCommand(name, source, lookup, withPrelude(around, pathFrom));
    return found.kind === 'file' && name.startsWith('/') ? found : { kind: 'unsure', reason };
  },
});

/** A prelude that puts a variable's value in front of PATH has done so when the command is looked up. */
function withPrelude({ cwd, entries }: Surroundings, name: string | null): Surroundings {
  const added = name === null ? undefined : entries.get(name);
  if (added === undefined) return { cwd, entries };
  const path = entries.get('PATH') ?? '';
  return { cwd, entries: new Map([...entries, ['PATH', path === '' ? added : `${added}:${path}`]]) };
}
