/**
 * What the requester's host found when it looked up what a line is about. A server judges lines of hosts whose files it
 * cannot see; the host records each answer it gave while it read the line itself, and the server reads the line once more,
 * by its own rules, with these answers. What was not looked up is not known, and makes a line opaque.
 */
import type { JudgeContext } from '../permission/judge-context.ts';
import type { Resolution } from '../reading/resolution.ts';
import type { Lookup } from '../reading/unwrapping.ts';

/** `unknown`: bash could not be asked, or took too long; that is no agreement. */
export type Agreement = 'agrees' | 'disagrees' | 'unknown';

/**
 * Everything assessing asks about the world.
 * @property home          what `~` becomes: absolute, or null
 * @property hasSearchedCd whether CDPATH is set: then a relative `cd` goes nobody knows where
 * @property resolveName   `name` with its quoting undone, `source` as it stands in the line; `pathFrom` names a variable whose
 *                         value stands in front of PATH by then, or is null
 */
export interface Lookups extends Required<Pick<JudgeContext, 'resolvePath' | 'repositoryOf' | 'hasLinksOut'>> {
  readonly home: string | null;
  readonly hasSearchedCd: boolean;
  readonly resolveName: (name: string, source: string, lookup: Lookup, pathFrom: string | null) => Resolution;
}

export interface FoundName {
  readonly name: string;
  readonly source: string;
  readonly lookup: Lookup;
  readonly resolution: Resolution;
}

export interface FoundPath {
  readonly path: string;
  readonly end: 'target' | 'itself';
  readonly resolved: string;
}

/**
 * @property bash `bash -n` on the line and on every text that shells in it read again
 */
export interface Findings {
  readonly bash: Agreement;
  readonly home: string | null;
  readonly hasSearchedCd: boolean;
  readonly names: readonly FoundName[];
  readonly paths: readonly FoundPath[];
  readonly repositories: readonly { readonly directory: string; readonly top: string | null }[];
  readonly linksOut: readonly { readonly directory: string; readonly depth: number; readonly leadsOut: boolean }[];
}

/** More answers than this of one kind are not sent: the line then needs a human for its exact bytes. */
export const MOST_FINDINGS = 256;

/** Records what `live` answers; `taken` is what there is to send so far, null when it is too much. */
export function recordLookups(live: Lookups): {
  readonly lookups: Lookups;
  readonly taken: (bash: Agreement) => Findings | null;
} {
  const names = new Map<string, FoundName>();
  const paths = new Map<string, FoundPath>();
  const repositories = new Map<string, Findings['repositories'][number]>();
  const linksOut = new Map<string, Findings['linksOut'][number]>();
  const lookups: Lookups = {
    home: live.home,
    hasSearchedCd: live.hasSearchedCd,
    resolveName: (name, source, lookup, pathFrom) => {
      const resolution = live.resolveName(name, source, lookup, pathFrom);
      names.set(nameKey(name, source, lookup), { name, source, lookup, resolution: withoutText(resolution) });
      return resolution;
    },
    resolvePath: (path, end) => {
      const resolved = live.resolvePath(path, end);
      paths.set(`${end} ${path}`, { path, end, resolved });
      return resolved;
    },
    repositoryOf: (directory) => {
      const top = live.repositoryOf(directory);
      repositories.set(directory, { directory, top });
      return top;
    },
    hasLinksOut: (directory, depth) => {
      const leadsOut = live.hasLinksOut(directory, depth);
      linksOut.set(`${depth} ${directory}`, { directory, depth, leadsOut });
      return leadsOut;
    },
  };
  const taken = (bash: Agreement): Findings | null =>
    [names, paths, repositories, linksOut].some(({ size }) => size > MOST_FINDINGS)
      ? null
      : {
          bash,
          home: live.home,
          hasSearchedCd: live.hasSearchedCd,
          names: [...names.values()],
          paths: [...paths.values()],
          repositories: [...repositories.values()],
          linksOut: [...linksOut.values()],
        };
  return { lookups, taken };
}

/** Answers from what was found; `isComplete` turns false when something was asked that was never looked up. */
export function lookupsFrom(findings: Findings): { readonly lookups: Lookups; readonly isComplete: () => boolean } {
  const names = new Map(findings.names.map((each) => [nameKey(each.name, each.source, each.lookup), each.resolution]));
  const paths = new Map(findings.paths.map((each) => [`${each.end} ${each.path}`, each.resolved]));
  const repositories = new Map(findings.repositories.map(({ directory, top }) => [directory, top]));
  const linksOut = new Map(findings.linksOut.map((each) => [`${each.depth} ${each.directory}`, each.leadsOut]));
  let isComplete = true;
  const known = <T>(found: T | undefined, otherwise: T): T => {
    if (found !== undefined) return found;
    isComplete = false;
    return otherwise;
  };
  const lookups: Lookups = {
    home: findings.home,
    hasSearchedCd: findings.hasSearchedCd,
    resolveName: (name, source, lookup) =>
      known(names.get(nameKey(name, source, lookup)), { kind: 'unsure', reason: 'was not looked up' }),
    resolvePath: (path, end) => known(paths.get(`${end} ${path}`), path),
    repositoryOf: (directory) => known(repositories.get(directory), null),
    hasLinksOut: (directory, depth) => known(linksOut.get(`${depth} ${directory}`), true),
  };
  return { lookups, isComplete: () => isComplete };
}

const nameKey = (name: string, source: string, lookup: Lookup): string => JSON.stringify([lookup, source, name]);

/** That a name is redefined is all that counts; the text may be long, or secret. */
const withoutText = (resolution: Resolution): Resolution =>
  resolution.kind === 'alias' || resolution.kind === 'function' ? { kind: resolution.kind, text: '' } : resolution;
