/** Plays recorded commands of agents twice, to compare the number of decisions: with grants for exact bytes, and with scopes that the server proposes. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'unbash';
import type { Assessment } from '../../src/core/effects/assess-line.ts';
import { assessRequest, commandsOfRequest } from '../../src/core/effects/assess-request.ts';
import { normalizePath } from '../../src/core/effects/command-context.ts';
import type { Lookups } from '../../src/core/effects/host-facts.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { readPlanFile } from '../../src/core/plan/plan-file.ts';
import { isBuiltinName } from '../../src/core/reading/builtins.ts';
import type { RuleBook } from '../../src/core/rules/rule.ts';
import type { Proposal } from '../../src/core/scope/command-scope.ts';
import { scopeFactsOf } from '../../src/core/scope/conditions.ts';
import { type Candidate, coverLine } from '../../src/core/scope/cover-line.ts';
import { type ProposalPlace, proposeScopes } from '../../src/core/scope/propose.ts';
import type { Plan } from '../../src/core/wire/plan.ts';

/**
 * - `usual`:     may be covered by an earlier decision
 * - `dangerous`: must be asked for every time
 * - `foreign`:   tried after the day; no decision of it may cover it
 */
export interface DayLine {
  readonly cwd: string;
  readonly text: string;
  readonly kind: 'usual' | 'dangerous' | 'foreign';
}

/** A plan that the agent files at this moment; its directories are absolute. */
interface FiledPlan {
  readonly kind: 'plan';
  readonly plan: Plan;
}

/** The names of the traces in `test/replay`. The plans of `day` were written after its lines, the plans of the others before their lines. */
export const TRACES = ['day', 'release', 'debugging'] as const;

export type TraceEntry = DayLine | FiledPlan;

/** Reads a trace; the head of `day.txt` explains the marks of its lines. */
export function readTrace(name: (typeof TRACES)[number]): readonly TraceEntry[] {
  const file = fileURLToPath(new URL(`../replay/${name}.txt`, import.meta.url));
  let cwd = '/';
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line): readonly TraceEntry[] => {
      if (line === '' || line.startsWith('#')) return [];
      if (line.startsWith('@ ')) {
        cwd = line.slice(2);
        return [];
      }
      if (line.startsWith('p ')) return [{ kind: 'plan', plan: planHere(line.slice(2), cwd) }];
      const kind = line.startsWith('! ') ? 'dangerous' : line.startsWith('x ') ? 'foreign' : 'usual';
      return [{ cwd, text: kind === 'usual' ? line : line.slice(2), kind }];
    });
}

/** Reads a plan as `apes plan` does in the directory `here`, and makes its paths absolute. */
function planHere(text: string, here: string): Plan {
  const read = readPlanFile(text, 0);
  if (!read.ok) throw new Error(`${read.failure.message}: ${text}`);
  const { plan } = read.value;
  const parts = plan.parts.map((part) => {
    const cwd = normalizePath(part.cwd.startsWith('/') ? part.cwd : `${here}/${part.cwd}`);
    return { ...part, cwd, ...(part.paths && { paths: part.paths.map((each) => normalizePath(`${cwd}/${each}`)) }) };
  });
  return { ...plan, parts };
}

/** Returns only the lines of a trace, for a replay without its plans. */
export const linesOf = (trace: readonly TraceEntry[]): readonly DayLine[] =>
  trace.flatMap((entry) => (entry.kind === 'plan' ? [] : [entry]));

const HOME = '/home/u';

export function requestOf({ cwd, text }: Pick<DayLine, 'cwd' | 'text'>): ExecutionRequest {
  const environment = [
    { name: 'HOME', value: HOME },
    { name: 'PATH', value: '/usr/local/bin:/usr/bin:/bin' },
  ];
  return { kind: 'command', text, argv: ['-c', text], cwd, host: 'dev', user: 'u', environment };
}

/** A host without links, on which every program is in `/usr/bin`, and every directory in `~/src` is a repository. */
export const HOST: Lookups = {
  home: HOME,
  hasSearchedCd: false,
  resolvePath: (path) => normalizePath(path),
  hasLinksOut: () => false,
  isBareRepository: () => false,
  matchesOf: () => [],
  sensitiveBelow: () => [],
  projectOf: () => null,
  recordsOf: () => [],
  hasHooks: () => false,
  addsRepository: () => false,
  repositoryOf: (directory) => /^\/home\/u\/src\/[a-z]+(?=\/|$)/.exec(directory)?.[0] ?? null,
  resolveName: (name, _source, lookup) =>
    lookup !== 'file' && isBuiltinName(name)
      ? { kind: 'builtin' }
      : name.includes('/') && !name.startsWith('/usr/bin/')
        ? {
            kind: 'file',
            path: name,
            realPath: normalizePath(`/home/u/src/shop/${name}`),
            ownerUid: 1000,
            writable: [{ path: name, by: 'user' }],
          }
        : { kind: 'file', path: `/usr/bin/${name}`, realPath: `/usr/bin/${name}`, ownerUid: 0, writable: [] },
};

/**
 * @property asked  the lines of the day for which an approver had to decide
 * @property unsafe the lines for which an approver must decide, but that an earlier decision covered
 */
export interface Outcome {
  readonly asked: readonly string[];
  readonly unsafe: readonly string[];
}

/** Plays the lines with an approver who approves the exact bytes of each usual line for always, and of each dangerous line once. */
export function replayExact(day: readonly DayLine[]): Outcome {
  const covered = new Set<string>();
  const asked: string[] = [];
  for (const line of day) {
    const bytes = `${line.cwd}\0${line.text}`;
    if (covered.has(bytes)) continue;
    if (line.kind !== 'foreign') asked.push(line.text);
    if (line.kind === 'usual') covered.add(bytes);
  }
  return { asked, unsafe: [] };
}

/** Plays the lines with an approver who gives each usual line the widest scope that the server proposes. */
export function replayScopes(day: readonly DayLine[], rules: RuleBook): Outcome {
  const grants: Candidate[] = [];
  const exact = new Set<string>();
  const asked: string[] = [];
  const unsafe: string[] = [];
  for (const line of day) {
    const request = requestOf(line);
    const assessment = assessRequest(request, commandsOfRequest(request, parse), 'agrees', { rules, lookups: HOST });
    const isCovered = exact.has(`${line.cwd}\0${line.text}`) || covers(assessment, request, grants);
    if (isCovered && line.kind !== 'usual') unsafe.push(line.text);
    if (isCovered) continue;
    if (line.kind !== 'foreign') asked.push(line.text);
    if (line.kind !== 'usual') continue;
    const widest = offered(request, assessment).at(-1)?.scope ?? null;
    if (widest === null) exact.add(`${line.cwd}\0${line.text}`);
    else grants.push({ grantId: `g_${grants.length}`, scope: widest });
  }
  return { asked, unsafe };
}

const covers = (
  { requiredPermissions }: Assessment,
  request: ExecutionRequest,
  grants: readonly Candidate[],
): boolean =>
  requiredPermissions !== null && coverLine(requiredPermissions, grants, scopeFactsOf(request, 0)).kind === 'covered';

export const offered = (request: ExecutionRequest, assessment: Assessment): readonly Proposal[] =>
  proposeScopes({ request, assessment, cwd: request.cwd }, placeOf(request.cwd));

export const placeOf = (cwd: string): ProposalPlace => ({
  cwd,
  repository: HOST.repositoryOf(cwd),
  home: HOME,
  confinementLevel: 0,
});
