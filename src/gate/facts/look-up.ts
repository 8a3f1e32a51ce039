/** Looks up the host facts for a line before a decision. Never runs the line. */

import type { ConfinementLevel } from '../../core/confinement/confinement.ts';
import type { Assessment } from '../../core/effects/assess-line.ts';
import { assessRequest, commandsOfRequest, isAssessable, textOf } from '../../core/effects/assess-request.ts';
import { type Agreement, type HostFacts, type Lookups, recordLookups } from '../../core/effects/host-facts.ts';
import type { OwnPlace } from '../../core/effects/own-places.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import type { Impact } from '../../core/impact/impact.ts';
import { pathBehindPrelude } from '../../core/reading/fold-prelude.ts';
import type { LineReading } from '../../core/reading/line-reading.ts';
import type { Surroundings } from '../../core/reading/resolution.ts';
import type { RuleBook } from '../../core/rules/rule.ts';
import { localeOf } from '../../core/variables/character-set.ts';
import { loadBashParser } from '../../platform/bash-parser.ts';
import { currentHost, currentUser } from '../../platform/surroundings.ts';
import { impactOf } from '../impact/impact.ts';
import { addsRepository } from './added-repositories.ts';
import { bashAgrees } from './bash-agreement.ts';
import { hasHooks } from './git-hooks.ts';
import { placeOnDisk } from './place-on-disk.ts';
import { projectOf } from './project-of.ts';
import { resolveCommand } from './resolve-command.ts';

/**
 * @property hostFacts the server uses these facts to make its own assessment of the line; null if the server would refuse these facts,
 *                     for example because of their size
 * @property impact    what the line would delete, change or end if it ran now; null if nothing is known
 */
export interface LookedUp {
  readonly assessment: Assessment;
  readonly hostFacts: HostFacts | null;
  readonly impact: readonly Impact[] | null;
}

/** Bash checks the line and each script in it, each in its own process. If there are more different texts than this, bash checks none. */
const MAX_TEXTS = 16;

/**
 * Assesses a line for `apes explain`, as `ape-shell -c` would assess the line.
 * @param around the directory and the environment of the shell that would run the line
 * @param bash   absolute path
 * @param rules  the rule files; null: the line is assessed without rule files
 * @param own    the files of ape-shell itself
 */
export async function lookUpLine(
  text: string,
  around: Surroundings,
  bash: string,
  rules: RuleBook | null,
  own: readonly OwnPlace[] = [],
): Promise<Assessment> {
  const parse = await loadBashParser();
  const environment = [...around.entries].map(([name, value]) => ({ name, value }));
  const who = { host: currentHost(), user: currentUser() };
  const request: ExecutionRequest = { kind: 'command', text, argv: ['-c', text], cwd: around.cwd, ...who, environment };
  const line = commandsOfRequest(request, parse);
  const agreement = await agreementOn(line.texts, bash, localeOf(environment));
  return assessRequest(request, line, agreement, { rules, lookups: { ...lookupsOf(around), own } });
}

/**
 * Looks up a request. Returns null if only a grant for the exact bytes can cover this kind of request. `bash` and `rules` are as in
 * `lookUpLine`.
 * @param confinementLevel the level of confinement that this host reaches for this kind of request
 * @param own              the files of ape-shell itself
 * @param read             the reading of the line, if the caller has parsed the line; ignored if the text of the reading is not the text of
 *                         the request
 */
export async function lookUpRequest(
  request: ExecutionRequest,
  bash: string,
  rules: RuleBook | null,
  confinementLevel: ConfinementLevel = 0,
  read?: LineReading,
  own: readonly OwnPlace[] = [],
): Promise<LookedUp | null> {
  if (!isAssessable(request)) return null;
  const entries = new Map<string, string>();
  for (const { name, value, digest } of request.environment) if (digest !== true) entries.set(name, value);
  const isRead = read !== undefined && read.text === textOf(request);
  const line = isRead ? read.commands : commandsOfRequest(request, await loadBashParser());
  const agreement = await agreementOn(line.texts, bash, localeOf(request.environment));
  const live = lookupsOf({ cwd: request.cwd, entries }, request.kind === 'line' && !entries.has('BASHOPTS'));
  const { lookups, recordedFacts } = recordLookups({ ...live, own });
  lookups.repositoryOf(lookups.resolvePath(request.cwd, 'target')); // records the repository: the server needs it to propose scopes
  const assessment = assessRequest(request, line, agreement, { rules, lookups });
  const impact = await impactOf(assessment, { cwd: request.cwd, environment: entries });
  return {
    assessment,
    hostFacts: recordedFacts(agreement, confinementLevel),
    impact: impact.length === 0 ? null : impact,
  };
}

async function agreementOn(all: readonly string[], bash: string, locale: string): Promise<Agreement> {
  const texts = new Set(all);
  if (texts.size > MAX_TEXTS) return 'unknown';
  for (const each of texts) {
    const agreement = await bashAgrees(each, bash, locale);
    if (agreement !== 'agrees') return agreement;
  }
  return 'agrees';
}

/**
 * Returns the functions that look up names and paths on this host.
 * @param hasUnknownOptions whether bash's options for pattern matching are unknown; if so, no pattern is looked up
 */
export const lookupsOf = (around: Surroundings, hasUnknownOptions = false): Lookups => ({
  ...placeOnDisk,
  ...(hasUnknownOptions || matchesOtherwise(around) ? { matchesOf: () => null } : {}),
  hasHooks: (directory, which) => hasHooks(directory, which, around.entries),
  addsRepository,
  projectOf: (path, names) => projectOf(path, names, around.entries.get('HOME') ?? null),
  home: around.entries.get('HOME') ?? null,
  hasSearchedCd: (around.entries.get('CDPATH') ?? '') !== '',
  ...(process.platform === 'linux' ? {} : { hasBsdTools: true }),
  resolveName: (name, source, lookup, pathFrom) => resolveCommand(name, source, lookup, withPrelude(around, pathFrom)),
});

/** Whether settings of the shell change which names a pattern matches. */
const matchesOtherwise = ({ entries }: Surroundings): boolean =>
  (entries.get('GLOBIGNORE') ?? '') !== '' || /\b(?:dotglob|nocaseglob|globstar)\b/.test(entries.get('BASHOPTS') ?? '');

/**
 * Returns the surroundings after a prelude. The prelude puts the value of the variable `pathFrom` in front of PATH. If `pathFrom` is null,
 * PATH does not change.
 */
function withPrelude({ cwd, entries }: Surroundings, pathFrom: string | null): Surroundings {
  if (pathFrom === null) return { cwd, entries };
  const path = pathBehindPrelude({ pathFrom }, (name) => entries.get(name) ?? '');
  return { cwd, entries: new Map([...entries, ['PATH', path]]) };
}
