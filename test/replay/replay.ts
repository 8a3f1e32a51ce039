/** A recorded day of agent commands, decided once with grants for exact bytes and once with the scopes the server offers. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'unbash';
import type { Assessment } from '../../src/core/effects/assess-line.ts';
import { assessRequest, commandsOfRequest } from '../../src/core/effects/assess-request.ts';
import { normalizePath } from '../../src/core/effects/command-context.ts';
import type { Lookups } from '../../src/core/effects/host-facts.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { isBuiltinName } from '../../src/core/reading/builtins.ts';
import type { RuleBook } from '../../src/core/rules/rule.ts';
import type { Proposal } from '../../src/core/scope/command-scope.ts';
import { factsOf } from '../../src/core/scope/conditions.ts';
import { type Candidate, coverLine } from '../../src/core/scope/cover-line.ts';
import { proposeScopes } from '../../src/core/scope/propose.ts';

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

export function readDay(): readonly DayLine[] {
  const file = fileURLToPath(new URL('day.txt', import.meta.url));
  let cwd = '/';
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line): readonly DayLine[] => {
      if (line === '' || line.startsWith('#')) return [];
      if (line.startsWith('@ ')) {
        cwd = line.slice(2);
        return [];
      }
      const kind = line.startsWith('! ') ? 'dangerous' : line.startsWith('x ') ? 'foreign' : 'usual';
      return [{ cwd, text: kind === 'usual' ? line : line.slice(2), kind }];
    });
}

const HOME = '/home/u';

function requestOf({ cwd, text }: DayLine): ExecutionRequest {
  const environment = [
    { name: 'HOME', value: HOME },
    { name: 'PATH', value: '/usr/local/bin:/usr/bin:/bin' },
  ];
  return { kind: 'command', text, argv: ['-c', text], cwd, host: 'dev', user: 'u', environment };
}

/** A host without links, on which every program is where the distribution put it; three repositories. */
const HOST: Lookups = {
  home: HOME,
  hasSearchedCd: false,
  resolvePath: (path) => normalizePath(path),
  hasLinksOut: () => false,
  isBareRepository: () => false,
  matchesOf: () => [],
  hiddenBelow: () => [],
  recordsOf: () => [],
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
 * @property asked  of the day's own lines, those that a human was asked for
 * @property unsafe lines that must be asked for and were not
 */
export interface Outcome {
  readonly asked: readonly string[];
  readonly unsafe: readonly string[];
}

/** An approver who approves every harmless line for always, and looks at each dangerous one by itself. */
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

/** The same approver, who takes the widest scope the page offers for what he finds harmless. */
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
  requiredPermissions !== null && coverLine(requiredPermissions, grants, factsOf(request, 0)).kind === 'covered';

const offered = (request: ExecutionRequest, assessment: Assessment): readonly Proposal[] =>
  proposeScopes(
    { request, assessment, cwd: request.cwd },
    { cwd: request.cwd, repository: HOST.repositoryOf(request.cwd), home: HOME, confinementLevel: 0 },
  );
